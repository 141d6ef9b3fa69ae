package journal

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// leftBy is the outcome of an attempt with a checkpoint after it.
func leftBy(c *loop.Changes, checkpoint string) (o loop.Outcome) {
	o.Changes, o.Checkpoint = c, checkpoint
	return o
}

func TestAnAttemptThatChangedNothingNeedsNoFileForThat(t *testing.T) {
	r := create(t, newStore(t))
	startOf(r)
	a := r.Attempt(1, 1)
	made, err := ChangesOf(a.Dir(), leftBy(&loop.Changes{}, "x"))
	if err != nil || made.Base != "x" || made.Checkpoint != "x" {
		t.Errorf("ChangesOf = %+v, %v, want x before and after", made, err)
	}
	for what, o := range map[string]loop.Outcome{
		"it changed something":    leftBy(&loop.Changes{Modified: 1}, "x"),
		"it committed":            leftBy(&loop.Changes{Commits: 1}, "x"),
		"nobody knows":            leftBy(nil, "x"),
		"there was no checkpoint": leftBy(&loop.Changes{}, ""),
	} {
		if made, err := ChangesOf(a.Dir(), o); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: ChangesOf = %+v, %v, want that there is no file", what, made, err)
		}
	}
	a.WriteChanges(AttemptChanges{Base: "w", Checkpoint: "v"})
	if made, err := ChangesOf(a.Dir(), leftBy(&loop.Changes{}, "x")); err != nil || made.Base != "w" {
		t.Errorf("with a file: %+v, %v, want what it says", made, err)
	}
}
