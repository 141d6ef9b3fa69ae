package view

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// PutBack says what of the repository was changed during the run and put back, or
// that the repository was lost; empty for neither.
func (r *Run) PutBack() string {
	var said []string
	for _, key := range r.Sum.Told {
		if what, ok := strings.CutPrefix(key, loop.PutBackKey); ok {
			said = append(said, what)
		}
		if key == loop.LostGitKey {
			said = append(said, "nothing of .git, which is gone or another one")
		}
	}
	return strings.Join(said, "; ")
}

// UnusedGit says what of the user's git was changed during the run, and is not used
// for that; empty for nothing.
func (r *Run) UnusedGit() string {
	var said []string
	for _, key := range r.Sum.Told {
		if what, ok := strings.CutPrefix(key, loop.UnusedGitKey); ok {
			said = append(said, what)
		}
	}
	return strings.Join(said, ", ")
}
