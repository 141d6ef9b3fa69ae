package proc

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Mark is what the environment of every process of a run says, so that it can
// be found when all else that knew of it is gone.
type Mark struct {
	Run    string // the id of the run
	Runner string // different for every runner of that run
}

const (
	runName    = "REFRAIN_RUN_ID"
	runnerName = "REFRAIN_RUNNER"
	childName  = "REFRAIN_CHILD" // which child of the keeper a process descends from
)

func (m Mark) environ() []string {
	return []string{runName + "=" + m.Run, runnerName + "=" + m.Runner}
}

// child is the mark of one child of the keeper.
func (m Mark) child(id string) string { return childName + "=" + m.Runner + "." + id }

// unmarked is the environment without marks, such as those that a runner
// inside a run has from the run around it.
func unmarked(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == runName || name == runnerName || name == childName
	})
}

// CleanUp ends what earlier runners of these runs have left, and waits until it
// is gone. It tells how many processes that were. The error says that some
// could not be ended; it is an errors.ErrUnsupported on a system on which they
// cannot be found.
//
// It belongs between taking the lock of a run and starting anything for it:
// then whoever carries the mark of the run is left from before. A keeper that
// is still at it is given the time to finish, for it sees more than marks.
//
// Spared programs, with all that they start, are left alone here too.
func CleanUp(ctx context.Context, spare []string, runs ...string) (ended int, err error) {
	if len(runs) == 0 {
		return 0, nil
	}
	if err := awaitKeepers(ctx, runs); err != nil {
		return 0, err
	}
	return hunt(ctx, prey{spare: spare, match: func(env []string) bool {
		return slices.ContainsFunc(runs, func(run string) bool { return slices.Contains(env, runName+"="+run) })
	}})
}

// pause is how long to wait between two tries to end a process.
const pause = 2 * time.Millisecond
