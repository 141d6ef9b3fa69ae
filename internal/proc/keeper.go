package proc

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Keeper runs the processes of one run so that nothing they start outlives
// them. It may be used from several goroutines.
type Keeper struct {
	mark  Mark
	spare []string
	staff
}

// NewKeeper makes a keeper of processes that carry the mark. It spares the
// programs that are named, with all that they start: they are left alone and
// outlive the run. Nothing is started before the first Run.
func NewKeeper(mark Mark, spare []string) *Keeper {
	return &Keeper{mark: mark, spare: slices.Clone(spare)}
}

// Run is as the function Run, and ends whatever the process has started,
// wherever it went. When the keeper's own process cannot be had, that is said
// once with a warning, and then only groups are ended.
func (k *Keeper) Run(ctx context.Context, s Spec) (loop.Exit, error) {
	s.Env = slices.Concat(s.Env, k.mark.environ())
	return runBy(ctx, s, k.start)
}

func (m Mark) environ() []string {
	return []string{runName + "=" + m.Run, runnerName + "=" + m.Runner}
}
