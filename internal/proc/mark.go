package proc

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"
)

// Mark is what the environment of every process of a run says, so that it can
// be found when all else that knew of it is gone.
type Mark struct {
	Run    string // the id of the run
	Runner string // which runner of it, and where: different for every NewMark
}

// NewMark is the mark for what this process starts for a run in a work tree. A
// copy of the project has runs of the same id, and only the tree tells them
// apart.
func NewMark(run, tree string) Mark {
	return Mark{Run: run, Runner: rand.Text() + "." + thisOwner(tree).String()}
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

// value is that of a variable; empty when it is not set.
func value(env []string, name string) string {
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			return rest
		}
	}
	return ""
}

// CleanUp ends what earlier runners of these runs have left in a work tree, and
// waits until it is gone. It tells how many processes that were. The error says
// that some could not be ended; it is an errors.ErrUnsupported on a system on
// which they cannot be found.
//
// It belongs between taking the lock of a run and starting anything for it. A
// lock and the id of a run say nothing of a copy, so only who was started in
// this very tree, by a runner that is dead, is ended. This process counts as
// dead: it has no runner of these runs at work. A keeper that is still at it is
// given the time to finish, for it sees more than marks.
//
// Spared programs, with all that they start, are left alone here too.
func CleanUp(ctx context.Context, spare []string, tree string, runs ...string) (ended int, err error) {
	if len(runs) == 0 {
		return 0, nil
	}
	l := litter{tree: tree, runs: runs}
	if err := awaitKeepers(ctx, l); err != nil {
		return 0, err
	}
	held := endAbandoned(l, spare)
	ended, err = hunt(ctx, prey{spare: spare, match: l.abandoned})
	return ended + held, err
}

// pause is how long to wait between two tries to end a process.
const pause = 2 * time.Millisecond
