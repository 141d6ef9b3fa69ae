package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// seals are the files of the store that tell git how to treat what is in it, by
// their names, with what they hold. Nobody but us has a reason to write them.
type seals map[string]string

// alternates names the stores that the store itself borrows from.
const alternates = "objects/info/alternates"

// sealsOf is what the files of a store are to hold.
func (s *Store) sealsOf(like string) (seals, error) {
	known, err := s.kept.text()
	if err != nil {
		return nil, err
	}
	all := seals{
		"config":          s.origin.config(shared, settings+"[core]\n\thooksPath = "+git.QuoteConfig(os.DevNull)+"\n"),
		shared:            like,
		"info/attributes": asIs,
		keptName:          known,
	}
	if len(s.kept.Borrows) > 0 {
		all[alternates] = strings.Join(s.kept.Borrows, "\n") + "\n"
	}
	return all, nil
}

// unsealed are the files that would tell git more. The store has none of them.
var unsealed = []string{
	alternates, "objects/info/http-alternates", "objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index",
	"commondir", "config.worktree", "packed-refs", "shallow", "hooks", "worktrees", "modules",
	"info/grafts", "info/sparse-checkout", "refs/replace", "refs/heads/checkpoints",
}

// seal puts the files back that tell git how to treat the store, and names those
// that were not as they should be. Whoever can write to the store could exchange
// what is checked out of it, or hide what is to be kept.
func (s *Store) seal() (found []string, err error) {
	for _, folder := range []string{"objects", "objects/info", "objects/pack", "info", "refs"} {
		info, err := os.Lstat(s.at(folder))
		switch {
		case err == nil && info.IsDir():
			continue
		case folder == "objects":
			return nil, &GoneError{Path: s.at(folder)}
		}
		found = append(found, folder)
		if err := errors.Join(os.RemoveAll(s.at(folder)), os.MkdirAll(s.at(folder), 0o700)); err != nil {
			return found, fmt.Errorf("seal the checkpoints: %w", err)
		}
	}
	for name, want := range s.seals {
		if s.intact(name, want) {
			continue
		}
		found = append(found, name)
		if err := files.Overwrite(s.at(name), []byte(want), 0o600, files.SyncFile); err != nil {
			return found, fmt.Errorf("seal the checkpoints: %w", err)
		}
	}
	for _, name := range unsealed {
		if _, wanted := s.seals[name]; wanted {
			continue
		}
		if _, err := os.Lstat(s.at(name)); files.Absent(err) {
			continue
		}
		found = append(found, name)
		if err := files.RemoveAll(s.at(name)); err != nil {
			return found, fmt.Errorf("seal the checkpoints: %w", err)
		}
	}
	slices.Sort(found)
	return found, nil
}

// at is where a file of the store is.
func (s *Store) at(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// intact tells whether a file of the store holds what it should.
func (s *Store) intact(name, text string) bool {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	stamp, ok := files.Holds(s.at(name), text, s.intactAt[name])
	if s.intactAt == nil {
		s.intactAt = map[string]string{}
	}
	s.intactAt[name] = stamp
	return ok
}

// likeLine is a line of the settings that are as the user's.
var likeLine = regexp.MustCompile(`^\t(` + alikeKeys + `) = "([^"\\]|\\.)*"$`)

// readLike is the settings that the store shares with the user's repository, from
// a store that is there: none but those.
func (s *Store) readLike(ctx context.Context) (string, error) {
	text, err := files.ReadFile(ctx, s.at(shared), git.SmallFile)
	if err != nil && !files.Absent(err) && !errors.As(err, new(*files.NotRegularError)) {
		return "", err
	}
	like := "[core]\n"
	for line := range strings.Lines(string(text)) {
		if likeLine.MatchString(strings.TrimSuffix(line, "\n")) {
			like += line
		}
	}
	return like, nil
}

// readBorrows is where an older store, which does not say it, borrows from.
func (s *Store) readBorrows(ctx context.Context) ([]string, error) {
	text, err := files.ReadFile(ctx, s.at(alternates), git.SmallFile)
	if err != nil {
		return nil, ignoring(err, fs.ErrNotExist)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}
