package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/project"
)

// userSettings are the settings that a user has given git for every repository,
// as they were at one moment: every git of a tree reads them in the place of
// those that there are now. An agent can write to a home, and what stands there
// names programs that a commit would run.
type userSettings struct {
	mu   sync.Mutex
	at   string // the file that git reads; empty: it reads the user's own
	text string
	seen string // how the file looked when it held the text
}

// Under what the settings of a user are noted, and each file of them.
const (
	flatSettings = "settings"
	settingsFile = "file "
)

// UserSettings takes note of the settings that the user has given git for every
// repository, as far as they hold for this one: what they say, with all that
// they include, and the files in which they stand. There is nothing to note
// without git.
func (t *Tree) UserSettings(ctx context.Context) (Guarded, error) {
	if !t.git {
		return nil, nil
	}
	all, err := t.everySetting(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the user's settings of git: %w", err)
	}
	found, text := Guarded{}, strings.Builder{}
	paths := userFiles()
	for _, s := range all {
		if s.scope != "system" && s.scope != "global" {
			continue
		}
		if path, ok := strings.CutPrefix(s.origin, "file:"); ok {
			paths = append(paths, project.From(t.dir, path))
		}
		text.WriteString(s.line())
	}
	found[flatSettings] = text.String()
	for _, path := range paths {
		if found[settingsFile+path], err = fingerprint(ctx, path); err != nil {
			return nil, fmt.Errorf("read the user's settings of git: %w", err)
		}
	}
	return found, nil
}

// userFiles are the files in which a user's settings would stand.
func userFiles() []string {
	if file, given := os.LookupEnv("GIT_CONFIG_GLOBAL"); given {
		return []string{file}
	}
	home := userHome()
	if home == "" {
		return nil // git finds none either
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	return []string{filepath.Join(home, ".gitconfig"), filepath.Join(config, "git", "config")}
}

// userHome is the home as git knows it; empty when there is none.
func userHome() string {
	if home := os.Getenv("HOME"); home != "" {
		return home
	}
	home, _ := os.UserHomeDir()
	return home
}

// UseSettings has every git of the tree, and of those that were made from it, read
// the user's settings as they were noted. They are kept in a file of ours, which
// is written again where somebody has written to it. It is an error when git
// does not read that: an old one does not. Then git reads what it finds.
func (t *Tree) UseSettings(ctx context.Context, at string, was Guarded) error {
	const probe = "refrain.settings"
	t.user.use(at, was[flatSettings]+scopedSetting{key: probe, value: "kept", given: true}.line())
	said, err := t.line(ctx, command{}, "config", "--get", probe)
	if err == nil && said != "kept" {
		err = errors.New("this git reads no others than those in the home: it is older than 2.32")
	}
	if err != nil {
		t.user.use("", "")
		return fmt.Errorf("use the user's settings of git as they were: %w", err)
	}
	return nil
}

// StrangeSettings names the files of a user's settings that are not what they were
// when they were noted.
func StrangeSettings(ctx context.Context, was Guarded) ([]string, error) {
	before, now := Guarded{}, Guarded{}
	for name, note := range was {
		path, ok := strings.CutPrefix(name, settingsFile)
		if !ok {
			continue
		}
		held, err := fingerprint(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("look at the user's settings of git: %w", err)
		}
		before[path], now[path] = note, held
	}
	return now.Against(before), nil
}

func (u *userSettings) use(at, text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at, u.text, u.seen = at, text, ""
}

// env leads git to the settings, which are there then.
func (u *userSettings) env() ([]string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == "" {
		return nil, nil
	}
	info, err := os.Lstat(u.at)
	if err != nil || u.seen != Stamp(info) || !tellsWrites(info) {
		if err = replaceFile(u.at, []byte(u.text)); err == nil {
			info, err = os.Lstat(u.at)
		}
		if err != nil {
			return nil, fmt.Errorf("write the user's settings of git as they were: %w", err)
		}
		u.seen = Stamp(info)
	}
	return []string{"GIT_CONFIG_GLOBAL=" + u.at, "GIT_CONFIG_NOSYSTEM=1"}, nil
}

// scopedSetting is a setting, and where it was found.
type scopedSetting struct {
	scope, origin string
	key, value    string
	given         bool // "key" alone is something else than "key ="
}

// everySetting is what holds for the repository, the weakest first.
func (t *Tree) everySetting(ctx context.Context) ([]scopedSetting, error) {
	out, err := t.run(ctx, "config", "--list", "--show-scope", "--show-origin", "-z")
	if err != nil {
		return nil, err
	}
	var all []scopedSetting
	for items := splitNUL(out); len(items) >= 3; items = items[3:] {
		s := scopedSetting{scope: items[0], origin: items[1]}
		s.key, s.value, s.given = strings.Cut(items[2], "\n")
		all = append(all, s)
	}
	return all, nil
}

// line is the setting as git would read it from a file. What another file said is
// there already, so none is named.
func (s scopedSetting) line() string {
	first, last := strings.IndexByte(s.key, '.'), strings.LastIndexByte(s.key, '.')
	if first < 0 {
		return "" // git has no such keys
	}
	section, name := s.key[:first], s.key[last+1:]
	if section == "include" || section == "includeif" {
		return ""
	}
	head := "[" + section + "]"
	if first < last {
		head = "[" + section + " " + quoteSubsection(s.key[first+1:last]) + "]"
	}
	if !s.given {
		return head + "\n\t" + name + "\n"
	}
	return head + "\n\t" + name + " = " + quoteConfig(s.value) + "\n"
}

func quoteSubsection(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
