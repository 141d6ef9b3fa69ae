package git

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// userSettings are the settings that a user has given git for every repository,
// as they were at one moment: every git of a tree reads them in the place of
// those that there are now. An agent can write to a home, and what stands there
// names programs that a commit would run.
type userSettings struct {
	mu     sync.Mutex
	copies []userCopy // what git reads, the settings first; none: it reads the user's own
}

// userCopy is a file of ours that git reads in the place of one of the user's.
type userCopy struct {
	at, text string
	seen     string // how the file looked when it held the text
	key      string // the setting that leads git to it; empty for the settings
}

// Under what the settings of a user are noted, and each file of them.
const (
	flatSettings = "settings"
	settingsFile = "file "
)

// UserSettings takes note of the settings that the user has given git for every
// repository, as far as they hold for this one: what they say, with all that
// they include, the rules that they name, and the files in which they stand.
// There is nothing to note without git.
func (g Guard) UserSettings(ctx context.Context) (Guarded, error) {
	if !g.tree.isGit {
		return nil, nil
	}
	all, err := g.tree.git.everySetting(ctx)
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
			paths = append(paths, project.From(g.tree.dir, path))
		}
		text.WriteString(s.line())
	}
	found[flatSettings] = text.String()
	for _, r := range userRules {
		path, err := g.rulesAt(ctx, r, all)
		if err == nil {
			found[r.note()], err = r.text(ctx, path)
		}
		if err != nil {
			return nil, fmt.Errorf("read the user's settings of git: %w", err)
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if found[settingsFile+path], err = digest(ctx, path); err != nil {
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
	return []string{filepath.Join(home, ".gitconfig"), userFile("config")}
}

// userFile is where git looks for a file of the user's that nobody has named; empty
// when it finds none.
func userFile(name string) string {
	if config := os.Getenv("XDG_CONFIG_HOME"); config != "" {
		return filepath.Join(config, "git", name)
	}
	if home := userHome(); home != "" {
		return filepath.Join(home, ".config", "git", name)
	}
	return ""
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
// the user's settings as they were noted. They are kept in a file of ours, and the
// rules that they name beside it, which are written again where somebody has
// written to them. It is an error when git does not read that: an old one does
// not. Then git reads what it finds.
func (g Guard) UseSettings(ctx context.Context, at string, was Guarded) error {
	const probe = "refrain.settings"
	copies := []userCopy{{at: at, text: was[flatSettings] + scopedSetting{key: probe, value: "kept", given: true}.line()}}
	for _, r := range userRules {
		if note, noted := was[r.note()]; noted {
			text, err := base64.StdEncoding.DecodeString(note)
			if err != nil {
				return fmt.Errorf("use the user's settings of git as they were: %s: %w", r.key, err)
			}
			copies = append(copies, userCopy{at: filepath.Join(filepath.Dir(at), r.copied), text: string(text), key: r.key})
		}
	}
	g.tree.git.user.use(copies)
	said, err := g.tree.git.line(ctx, Command{}, "config", "--get", probe)
	if err == nil && said != "kept" {
		err = errors.New("this git reads no others than those in the home: it is older than 2.32")
	}
	if err != nil {
		g.tree.git.user.use(nil)
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
		held, err := digest(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("look at the user's settings of git: %w", err)
		}
		before[path], now[path] = note, held
	}
	return now.Against(before), nil
}

// userRule is a file in which a user says for every repository what git ignores, or
// how it treats files. An agent that writes there hides work from checkpoints.
type userRule struct {
	key    string // the setting that names it
	usual  string // where it is unless named, among the user's files
	copied string // our copy of it
}

var userRules = []userRule{
	{"core.excludesFile", "ignore", "gitignore"},
	{"core.attributesFile", "attributes", "gitattributes"},
}

// note is under what the rules are noted.
func (r userRule) note() string { return "rules " + r.key }

// rulesAt is where the rules are; empty when there are none.
func (g Guard) rulesAt(ctx context.Context, r userRule, all []scopedSetting) (string, error) {
	named := slices.ContainsFunc(all, func(s scopedSetting) bool { return s.key == strings.ToLower(r.key) })
	if !named {
		return userFile(r.usual), nil
	}
	path, err := g.tree.git.line(ctx, Command{}, "config", "--type=path", "--get", r.key)
	if err != nil || path == "" {
		return "", err
	}
	return project.From(g.top(), path), nil
}

// text is what the rules say, for a note. What git could not read either says
// nothing.
func (r userRule) text(ctx context.Context, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := files.ReadFile(ctx, path, SmallFile)
	if files.Absent(err) || errors.Is(err, fs.ErrPermission) || errors.As(err, new(*files.NotRegularError)) {
		return "", nil
	}
	return base64.StdEncoding.EncodeToString(text), err
}

func (u *userSettings) use(copies []userCopy) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.copies = copies
}

// lead leads git to the settings, which are there then. What they name, the
// repository may name, too, so it is given to git where nobody else has a say.
func (u *userSettings) lead(env []string) ([]string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var named []Setting
	for i := range u.copies {
		c := &u.copies[i]
		if err := c.keep(); err != nil {
			return nil, fmt.Errorf("write the user's settings of git as they were: %w", err)
		}
		if c.key == "" {
			env = append(env, "GIT_CONFIG_GLOBAL="+c.at, "GIT_CONFIG_NOSYSTEM=1")
		} else {
			named = append(named, Setting{c.key, c.at})
		}
	}
	if len(named) == 0 {
		return env, nil
	}
	return with(env, named...), nil
}

// isCopy tells whether a file is one of ours.
func (u *userSettings) isCopy(path string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.copies, func(c userCopy) bool { return c.at == path })
}

// keep writes the file, unless it holds its text.
func (c *userCopy) keep() error {
	var ok bool
	if c.seen, ok = files.Holds(c.at, c.text, c.seen); ok {
		return nil
	}
	if err := files.Overwrite(c.at, []byte(c.text), 0o600, files.SyncFile); err != nil {
		return err
	}
	info, err := os.Lstat(c.at)
	if err == nil {
		c.seen = files.Stamp(info)
	}
	return err
}

// scopedSetting is a setting, and where it was found.
type scopedSetting struct {
	scope, origin string
	key, value    string
	given         bool // "key" alone is something else than "key ="
}

// everySetting is what holds for the repository, the weakest first.
func (p Program) everySetting(ctx context.Context) ([]scopedSetting, error) {
	out, err := p.Run(ctx, "config", "--list", "--show-scope", "--show-origin", "-z")
	if err != nil {
		return nil, err
	}
	var all []scopedSetting
	for items := SplitNUL(out); len(items) >= 3; items = items[3:] {
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
	return head + "\n\t" + name + " = " + QuoteConfig(s.value) + "\n"
}

func quoteSubsection(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
