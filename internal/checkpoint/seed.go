package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

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
// wrongly lose what is known about them, and a submodule that is a plain folder
// is none. Without the user's index it begins empty, and every file is read.
func (s *Store) seed(ctx context.Context, index string) error {
	switch err := files.Copy(s.origin.index(), index, files.NoSync); {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*files.NotRegularError)):
		return nil
	case err != nil:
		return fmt.Errorf("copy the index: %w", err)
	}
	s.tracked.stamp = files.StampAt(s.origin.index())
	onCopy := git.Command{Env: []string{"GIT_INDEX_FILE=" + index}}
	suspects, err := s.suspects(ctx, onCopy)
	if err != nil {
		return err
	}
	out, err := s.ask(ctx, onCopy, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return err
	}
	var forget bytes.Buffer
	s.seeded = []string{}
	for _, line := range git.SplitNUL(out) {
		e, err := parseEntry(line)
		if err != nil {
			return err
		}
		s.seeded = append(s.seeded, e.path)
		switch {
		case e.mode == git.Gitlink && plainFolder(s.origin.path(e.path)):
			fmt.Fprintf(&forget, "0 %s\t%s\x00", strings.Repeat("0", len(e.object)), e.path)
		case e.outside(s.origin):
		case suspects(e.path) || e.untrusted():
			fmt.Fprintf(&forget, "%s %s\t%s\x00", e.mode, e.object, e.path)
		}
	}
	// Git reads again what was written in the same moment as the index. Those that a
	// filter would change have been forgotten, so it need not be run.
	if onCopy.Settings, err = git.WithoutFilters(ctx, s.ask, true); err != nil {
		return err
	}
	onCopy.Stdin = forget.Bytes()
	_, err = s.ask(ctx, onCopy, append(plainly, "update-index", "--force-write-index", "-z", "--index-info")...)
	return err
}

// suspects tells which files may differ on disk from what git holds although
// git takes them for unchanged, since it would change them on their way.
func (s *Store) suspects(ctx context.Context, onCopy git.Command) (func(string) bool, error) {
	crlf, err := s.ask(ctx, onCopy, "config", "--get", "core.autocrlf")
	switch {
	case err == nil && strings.TrimSpace(string(crlf)) != "false":
		return func(string) bool { return true }, nil
	case err != nil && !git.SaidNo(err):
		return nil, err
	}
	out, err := s.ask(ctx, onCopy, append([]string{"ls-files", "-z", "--"}, converting...)...)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, path := range git.SplitNUL(out) {
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

// outside tells whether the file is outside of a sparse checkout. Then it is not
// there, and was not deleted.
func (e entry) outside(o origin) bool {
	if !strings.EqualFold(e.tag, "S") {
		return false
	}
	_, err := os.Lstat(o.path(e.path))
	return err != nil
}

// untrusted tells whether the index says something else than the file: that it
// has several versions, or that nobody is to look at it.
func (e entry) untrusted() bool { return e.tag != "H" || e.stage != "0" }
