package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unborn is the HEAD of a repository without a commit.
const unborn = "ref: refs/heads/checkpoints\n"

// asIs keeps git from changing a file on its way in or out. What stands in this
// file of a repository wins over every .gitattributes. An encoding can only be
// forgotten, not forbidden.
const asIs = "* -text -eol -ident -filter !working-tree-encoding\n"

// make builds the store beside its place and moves it there when it is whole.
func (s *Store) make(ctx context.Context) error {
	building := s.dir + ".new"
	if err := os.RemoveAll(building); err != nil {
		return err
	}
	config, err := s.config(ctx)
	if err != nil {
		return err
	}
	if err := layOut(building, map[string]string{"HEAD": unborn, "config": config, "info/attributes": asIs}, writeSynced); err != nil {
		return err
	}
	if err := s.linkObjects(ctx, filepath.Join(building, "objects")); err != nil {
		return fmt.Errorf("link the objects: %w", err)
	}
	if err := s.seed(ctx, filepath.Join(building, "index")); err != nil {
		return err
	}
	_ = os.Remove(s.dir) // an empty folder may stand there
	return os.Rename(building, s.dir)
}

// layOut writes the files that make a folder a repository.
func layOut(dir string, files map[string]string, write func(path string, b []byte) error) error {
	for _, folder := range []string{"info", "objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o700); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := write(filepath.Join(dir, filepath.FromSlash(name)), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// settings are those of the store. Nothing of the user's may run in it or pack
// it, and what it was given is on the disk before the journal says so. A file
// outside of a sparse checkout counts as soon as somebody makes it.
const settings = `	bare = false
	logAllRefUpdates = false
	fsmonitor = false
	splitIndex = false
	untrackedCache = false
	sparseCheckout = true
	autocrlf = false
	safecrlf = false
	fsync = objects
	fsyncMethod = batch
[index]
	sparse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[i18n]
	commitEncoding = UTF-8
`

// alike are the user's settings that say how files are on this disk, and which
// of them do not count.
const alike = `^core\.(filemode|symlinks|ignorecase|precomposeunicode|longpaths|protecthfs|protectntfs|trustctime|checkstat|excludesfile)$`

func (s *Store) config(ctx context.Context) (string, error) {
	out, err := s.ask(ctx, command{}, "config", "-z", "--get-regexp", alike)
	var failed *gitError
	if err != nil && !(errors.As(err, &failed) && failed.saidNo()) {
		return "", err
	}
	b := newConfig(s.origin.format)
	b.WriteString(settings)
	fmt.Fprintf(b, "[core]\n\thooksPath = %s\n", quoteConfig(os.DevNull))
	for _, item := range splitNUL(out) {
		key, value, given := strings.Cut(item, "\n")
		if !given {
			value = "true"
		}
		fmt.Fprintf(b, "\t%s = %s\n", strings.TrimPrefix(key, "core."), quoteConfig(value))
	}
	return b.String(), nil
}

// newConfig begins a config with the format of the repository, and ends in its
// core section.
func newConfig(format string) *bytes.Buffer {
	b := new(bytes.Buffer)
	version := 0
	if format != "sha1" {
		version = 1
		fmt.Fprintf(b, "[extensions]\n\tobjectFormat = %s\n", format)
	}
	fmt.Fprintf(b, "[core]\n\trepositoryformatversion = %d\n", version)
	return b
}

func quoteConfig(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}

// converting are the tracked files whose attributes may make git change them on
// their way.
var converting = []string{
	":/", ":(top,exclude,attr:!text !eol !crlf !ident !filter !working-tree-encoding)",
	":(top,exclude,attr:-text !ident !filter !working-tree-encoding)",
}

// plainly makes git write an index that any repository can read: whole, and
// without what a helper program was to remember.
var plainly = []string{"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"}

// seed begins the index with a copy of the user's, so that what git knows of
// unchanged files need not be found out again. Entries that would be trusted
// wrongly lose what is known about them. Without the user's index it begins
// empty, and every file is read.
func (s *Store) seed(ctx context.Context, index string) error {
	switch err := copyTimed(s.origin.index(), index); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("copy the index: %w", err)
	}
	s.tracked.stamp = stamp(s.origin.index())
	onCopy := command{env: []string{"GIT_INDEX_FILE=" + index}}
	suspects, err := s.suspects(ctx, onCopy)
	if err != nil {
		return err
	}
	out, err := s.ask(ctx, onCopy, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return err
	}
	var forget bytes.Buffer
	for _, line := range splitNUL(out) {
		e, err := parseEntry(line)
		if err != nil {
			return err
		}
		if suspects(e.path) || e.untrusted(s.origin) {
			fmt.Fprintf(&forget, "%s %s\t%s\x00", e.mode, e.object, e.path)
		}
	}
	onCopy.stdin = forget.Bytes()
	_, err = s.ask(ctx, onCopy, append(plainly, "update-index", "--force-write-index", "-z", "--index-info")...)
	return err
}

// suspects tells which files may differ on disk from what git holds although
// git takes them for unchanged, since it would change them on their way.
func (s *Store) suspects(ctx context.Context, onCopy command) (func(string) bool, error) {
	crlf, err := s.ask(ctx, onCopy, "config", "--get", "core.autocrlf")
	var failed *gitError
	switch {
	case err == nil && strings.TrimSpace(string(crlf)) != "false":
		return func(string) bool { return true }, nil
	case err != nil && !(errors.As(err, &failed) && failed.saidNo()):
		return nil, err
	}
	out, err := s.ask(ctx, onCopy, append([]string{"ls-files", "-z", "--"}, converting...)...)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, path := range splitNUL(out) {
		set[path] = true
	}
	return func(path string) bool { return set[path] }, nil
}

// entry is one line of "ls-files --stage -v".
type entry struct{ tag, mode, object, stage, path string }

func parseEntry(line string) (entry, error) {
	what, path, ok := strings.Cut(line, "\t")
	fields := strings.Fields(what)
	if !ok || len(fields) != 4 {
		return entry{}, fmt.Errorf("git ls-files: a line of unknown kind: %q", line)
	}
	return entry{tag: fields[0], mode: fields[1], object: fields[2], stage: fields[3], path: path}, nil
}

// untrusted tells whether the index says something else than the file: that it
// has several versions, or that nobody is to look at it. A file outside of a
// sparse checkout stays as it is.
func (e entry) untrusted(o origin) bool {
	switch e.tag {
	case "h":
		return true
	case "s":
		_, err := os.Lstat(o.path(e.path))
		return err == nil
	}
	return e.stage != "0"
}
