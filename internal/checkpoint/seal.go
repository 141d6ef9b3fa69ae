package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// seal keeps the files of a store as they are to be that tell git how to treat what
// is in it. Nobody but us has a reason to write them.
type seal struct {
	repo  *shadow
	files map[string]string // what they hold, by their names

	mu       sync.Mutex
	intactAt map[string]string // how they looked when they were read
}

// alternates names the stores that the store itself borrows from.
const alternates = "objects/info/alternates"

// sealedFiles is what the files of a store are to hold, with the settings that are
// like the user's.
func sealedFiles(made madeFor, like string) (map[string]string, error) {
	known, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	all := map[string]string{
		"config":          configText(made.Format, shared, settings+"[core]\n\thooksPath = "+git.QuoteConfig(os.DevNull)+"\n"),
		shared:            like,
		"info/attributes": asIs,
		madeForFile:       string(known),
	}
	if len(made.Borrows) > 0 {
		all[alternates] = strings.Join(made.Borrows, "\n") + "\n"
	}
	return all, nil
}

// unsealed are the files that would tell git more. The store has none of them.
var unsealed = []string{
	alternates, "objects/info/http-alternates", "objects/info/commit-graph", "objects/info/commit-graphs", "objects/pack/multi-pack-index",
	"commondir", "config.worktree", "packed-refs", "shallow", "hooks", "worktrees", "modules",
	"info/grafts", "info/sparse-checkout", "refs/replace", "refs/heads/checkpoints",
}

// check puts the files back that tell git how to treat the store, and names those
// that were not as they should be. Whoever can write to the store could exchange
// what is checked out of it, or hide what is to be kept.
func (s *seal) check() (found []string, err error) {
	for _, folder := range []string{"objects", "objects/info", "objects/pack", "info", "refs"} {
		info, err := os.Lstat(s.repo.at(folder))
		switch {
		case err == nil && info.IsDir():
			continue
		case folder == "objects":
			return nil, &GoneError{Path: s.repo.at(folder)}
		}
		found = append(found, folder)
		if err := errors.Join(os.RemoveAll(s.repo.at(folder)), os.MkdirAll(s.repo.at(folder), 0o700)); err != nil {
			return found, fmt.Errorf("seal the checkpoints: %w", err)
		}
	}
	for name, want := range s.files {
		if s.intact(name, want) {
			continue
		}
		found = append(found, name)
		if err := files.Overwrite(s.repo.at(name), []byte(want), 0o600, files.SyncFile); err != nil {
			return found, fmt.Errorf("seal the checkpoints: %w", err)
		}
	}
	for _, name := range unsealed {
		if _, wanted := s.files[name]; wanted {
			continue
		}
		if _, err := os.Lstat(s.repo.at(name)); files.Absent(err) {
			continue
		}
		found = append(found, name)
		if err := files.RemoveAll(s.repo.at(name)); err != nil {
			return found, fmt.Errorf("seal the checkpoints: %w", err)
		}
	}
	slices.Sort(found)
	return found, nil
}

// intact tells whether a file of the store holds what it should.
func (s *seal) intact(name, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp, ok := files.Holds(s.repo.at(name), text, s.intactAt[name])
	if s.intactAt == nil {
		s.intactAt = map[string]string{}
	}
	s.intactAt[name] = stamp
	return ok
}
