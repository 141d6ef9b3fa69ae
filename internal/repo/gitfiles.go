package repo

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// The files of a repository that decide what git does in it. Programs that they
// name run with the rights of whoever calls git.
const (
	configFile   = "config"
	worktreeFile = "config.worktree"
	hooksFolder  = "hooks"
	infoFolder   = "info"
	linkFile     = ".git" // of a linked work tree, where it leads to the rest
	gitIdentity  = "."    // which git folder it was
)

// mostGitFiles is more hooks than anybody has.
const mostGitFiles = 2000

// GitFiles takes note of the files of the repository that decide what git does in
// it: settings, hooks, attributes, and what it ignores. PutGitBack compares with
// it. There is nothing to note without git.
func (t *Tree) GitFiles(ctx context.Context) (Guarded, error) {
	if !t.git {
		return nil, nil
	}
	p, ok := t.gitPlace()
	if !ok {
		return nil, nil
	}
	found, err := p.look(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at the settings of git: %w", err)
	}
	return found, nil
}

// PutBack is what PutGitBack did.
type PutBack struct {
	What []string // the settings and files that were changed, sorted
	Lost bool     // the repository is gone, or is another one: nothing was put back
}

// PutGitBack puts the files that decide what git does back as they were noted.
// Settings that every day's work changes stay: those of branches, where remotes
// are, who commits, and when git tidies up. Nothing is put into a repository that
// is not the one that was noted.
func (t *Tree) PutGitBack(ctx context.Context, was Guarded) (PutBack, error) {
	if len(was) == 0 {
		return PutBack{}, nil
	}
	done, err := t.putGitBack(ctx, was)
	if err != nil {
		return done, fmt.Errorf("put the settings of git back: %w", err)
	}
	slices.Sort(done.What)
	return done, nil
}

func (t *Tree) putGitBack(ctx context.Context, was Guarded) (PutBack, error) {
	var done PutBack
	top := t.gitTop()
	if text, linked := was[linkFile]; linked {
		switch now, err := noteOf(ctx, top, linkFile); {
		case err != nil:
			return done, err
		case now == "folder":
			return PutBack{Lost: true}, nil
		case now != text:
			if err := writeNote(top, linkFile, text); err != nil {
				return done, err
			}
			done.What = append(done.What, linkFile)
		}
	}
	p, ok := t.gitPlace()
	if !ok {
		return PutBack{Lost: true}, nil
	}
	if p.identity() != was[gitIdentity] {
		return PutBack{Lost: true}, nil
	}
	now, err := p.look(ctx)
	if errors.Is(err, errFlood) {
		// Nobody wants to read through all of that.
		if err = removeAll(filepath.Join(p.common, hooksFolder)); err == nil {
			now, err = p.look(ctx)
		}
	}
	if err != nil {
		return done, err
	}
	for _, name := range now.Against(was) {
		if name == gitIdentity || name == linkFile {
			continue
		}
		what, err := t.putBackOne(ctx, p, name, was[name], now[name])
		if err != nil {
			return done, err
		}
		done.What = append(done.What, what...)
	}
	return done, nil
}

// putBackOne puts one file back, and names what was changed.
func (t *Tree) putBackOne(ctx context.Context, p gitPlace, name, was, now string) ([]string, error) {
	what := []string{name}
	if name == configFile || name == worktreeFile {
		merged, keys, err := t.mergeConfig(ctx, was, now)
		switch {
		case err != nil:
			return nil, err
		case merged == now:
			return nil, nil
		case keys != nil:
			what = keys
		}
		was = merged
	}
	if inOther := name == infoFolder || name == hooksFolder; inOther && was == "" && now == "folder" {
		return nil, nil // a folder alone says nothing
	}
	return what, writeNote(p.of(name), name, was)
}

// gitPlace is where a repository is.
type gitPlace struct{ top, dir, common string }

// of is the folder that a noted file is in.
func (p gitPlace) of(name string) string {
	switch name {
	case linkFile:
		return p.top
	case worktreeFile:
		return p.dir
	}
	return p.common
}

// gitTop is the root of the work tree. Where git says that there is none, it is
// where a repository lies.
func (t *Tree) gitTop() string {
	top := t.top()
	if t.git {
		return top
	}
	for dir := top; ; dir = filepath.Dir(dir) {
		if _, ok := repositoryAt(dir); ok {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return top
		}
	}
}

func (t *Tree) gitPlace() (gitPlace, bool) {
	p := gitPlace{top: t.gitTop()}
	var ok bool
	if p.dir, ok = repositoryAt(p.top); !ok {
		return p, false
	}
	var err error
	p.common, err = commonOf(p.dir)
	return p, err == nil
}

// identity tells the git folders from others that stand in their place.
func (p gitPlace) identity() string {
	var b strings.Builder
	for _, dir := range []string{p.dir, p.common} {
		info, err := os.Stat(dir)
		if err != nil {
			return "none"
		}
		inode, _ := identity(info)
		fmt.Fprintf(&b, "%d %d ", inode, born(dir, info))
	}
	return strings.TrimSuffix(b.String(), " ")
}

var errFlood = fmt.Errorf("there are more than %d hooks", mostGitFiles)

// look notes all files.
func (p gitPlace) look(ctx context.Context) (Guarded, error) {
	found := Guarded{gitIdentity: p.identity()}
	names := []string{configFile, worktreeFile, infoFolder, hooksFolder}
	if info, err := os.Lstat(filepath.Join(p.top, linkFile)); err == nil && !info.IsDir() {
		names = append(names, linkFile)
	}
	for len(names) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		name := names[0]
		names = names[1:]
		note, err := noteOf(ctx, p.of(name), name)
		if err != nil {
			return nil, err
		}
		if note == "" {
			continue
		}
		if found[name] = note; len(found) > mostGitFiles {
			return nil, errFlood
		}
		switch {
		case note != "folder":
		case name == infoFolder:
			names = append(names, "info/attributes", "info/exclude")
		case name == hooksFolder || strings.HasPrefix(name, hooksFolder+"/"):
			list, err := namesIn(filepath.Join(p.common, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			for _, entry := range list {
				names = append(names, path.Join(name, entry))
			}
		}
	}
	return found, nil
}

// noteOf is what there is to know of a file: empty when there is none. Neither is
// a link followed nor a pipe opened.
func noteOf(ctx context.Context, dir, name string) (string, error) {
	at := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(at)
	switch {
	case absent(err):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "folder", nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(at)
		return "link " + base64.StdEncoding.EncodeToString([]byte(target)), err
	case !info.Mode().IsRegular():
		return "other " + info.Mode().Type().String(), nil
	}
	perm := info.Mode().Perm()
	if !strings.HasPrefix(name, hooksFolder+"/") {
		perm = 0o644 // whoever may read it
	}
	f, err := files.OpenFile(at)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Sprintf("closed %o", perm), nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := files.All(ctx, f, smallFile)
	if errors.As(err, new(*files.TooLargeError)) {
		return fmt.Sprintf("large %o %s", perm, Stamp(info)), nil
	}
	return fmt.Sprintf("file %o %s", perm, base64.StdEncoding.EncodeToString(text)), err
}

// textOf is what a noted file held.
func textOf(note string) (perm fs.FileMode, text []byte, ok bool) {
	var encoded string
	if n, _ := fmt.Sscanf(note, "file %o %s", &perm, &encoded); n < 1 || !strings.HasPrefix(note, "file ") {
		return 0, nil, false
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	return perm, text, err == nil
}

// writeNote makes a file what was noted of it, and removes it when nothing was, or
// when it was too large to be kept: what stands there now is somebody else's.
func writeNote(dir, name, note string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	kind, rest, _ := strings.Cut(note, " ")
	now, err := root.Lstat(name)
	if err == nil && !(kind == "folder" && now.IsDir()) {
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	if dir := path.Dir(name); dir != "." && note != "" {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	switch kind {
	case "folder":
		return root.MkdirAll(name, 0o755)
	case "link":
		target, err := base64.StdEncoding.DecodeString(rest)
		if err != nil {
			return err
		}
		return root.Symlink(string(target), name)
	case "file":
	default:
		return nil
	}
	perm, text, ok := textOf(note)
	if !ok {
		return fmt.Errorf("what %s held was not noted well", name)
	}
	if now != nil && now.Mode().IsRegular() && !strings.HasPrefix(name, hooksFolder+"/") {
		perm = now.Mode().Perm() // there may be a password in it
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Chmod(perm), f.Close())
}

// mergeConfig is settings as they were, with those that may change as they are
// now; keys names the others that had changed, and is nil when that cannot be
// told.
func (t *Tree) mergeConfig(ctx context.Context, was, now string) (merged string, keys []string, err error) {
	_, before, wasText := textOf(was)
	_, after, isText := textOf(now)
	if !wasText && was != "" || !isText { // deleted, or no file any more
		return was, nil, nil
	}
	old, readable := t.parseConfig(ctx, before)
	current, stillReadable := t.parseConfig(ctx, after)
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	if !readable || !stillReadable {
		return was, nil, nil
	}
	var free []string
	for _, key := range slices.Sorted(maps.Keys(union(old, current))) {
		switch {
		case slices.Equal(old[key], current[key]):
		case mayChange(key):
			free = append(free, key)
		default:
			keys = append(keys, key)
		}
	}
	switch {
	case len(keys) == 0:
		return now, nil, nil
	case len(free) == 0:
		return was, keys, nil
	}
	merged, err = t.editConfig(ctx, before, free, current)
	return merged, keys, err
}

func union(a, b map[string][]string) map[string][]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// mayChange tells whether work of every day changes a setting.
func mayChange(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "branch", "user":
		return true
	case "gc":
		return name != "recentobjectshook" // a program
	case "remote":
		return name == "url" || name == "fetch" || name == "gh-resolved"
	case "submodule":
		return name == "url" || name == "active" // how it is updated may be a program
	case "lfs":
		return name == "repositoryformatversion" || name == "access"
	}
	return false
}

// nowhere keeps git from reading the settings of any repository.
var nowhere = []string{"GIT_DIR=" + os.DevNull}

// parseConfig is the settings in a file, each with its values.
func (t *Tree) parseConfig(ctx context.Context, text []byte) (map[string][]string, bool) {
	all := map[string][]string{}
	if len(text) == 0 {
		return all, true
	}
	out, err := t.runIn(ctx, os.TempDir(), command{env: nowhere, stdin: text}, "config", "--file", "-", "--no-includes", "--list", "-z")
	if err != nil {
		return nil, false
	}
	for _, item := range splitNUL(out) {
		key, value, given := strings.Cut(item, "\n")
		if given {
			value = "=" + value // "key" alone is something else than "key ="
		}
		all[key] = append(all[key], value)
	}
	return all, true
}

// editConfig gives keys of a file other values.
func (t *Tree) editConfig(ctx context.Context, text []byte, keys []string, values map[string][]string) (string, error) {
	dir, err := os.MkdirTemp("", "refrain-config-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, configFile)
	if err := os.WriteFile(at, text, 0o600); err != nil {
		return "", err
	}
	edit := func(args ...string) error {
		_, err := t.runIn(ctx, dir, command{env: nowhere}, append([]string{"config", "--file", at}, args...)...)
		return err
	}
	for _, key := range keys {
		var failed *gitError
		if err := edit("--unset-all", key); err != nil && !(errors.As(err, &failed) && failed.exit.Code != nil && *failed.exit.Code == notSet) {
			return "", err
		}
		for _, value := range values[key] {
			if err := edit("--add", key, strings.TrimPrefix(value, "=")); err != nil {
				return "", err
			}
		}
	}
	return noteOf(ctx, dir, configFile)
}

// notSet is how git says that there is no setting to take out.
const notSet = 5
