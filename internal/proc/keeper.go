package proc

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Keeper runs the processes of one run so that nothing they start outlives
// them. It may be used from several goroutines.
type Keeper struct {
	mark  Mark
	spare []string
	fence fence.Policy
	hear  func(fence.Refusal) // nil: nobody does
	staff
}

// NewKeeper makes a keeper of processes that carry the mark. It spares the
// programs that are named, with all that they start: they are left alone and
// outlive the run. Nothing is started before the first Run.
func NewKeeper(mark Mark, spare []string) *Keeper {
	return &Keeper{mark: mark, spare: slices.Clone(spare)}
}

// Within has a fence be around all that the keeper starts, from the first Run on.
// None is as before.
func (k *Keeper) Within(policy *fence.Policy) *Keeper {
	if policy.Raised() {
		k.fence = *policy
	}
	return k
}

// Telling has refused hear of what the fence refuses by its name or its address. A
// keeper tells each once. It is called by one at a time, and must not wait for a
// process of the keeper's.
func (k *Keeper) Telling(refused func(fence.Refusal)) *Keeper {
	k.hear = refused
	return k
}

// Run is as the function Run, and ends whatever the process has started,
// wherever it went. When the keeper's own process cannot be had, that is said
// once with a warning, and then only groups are ended; within a fence it is an
// error, and nothing is started. So is a fence that can not be raised: the error is
// a *FenceError.
func (k *Keeper) Run(ctx context.Context, s Spec) (loop.Exit, error) {
	s.Env = slices.Concat(s.Env, k.mark.Environ())
	return runBy(ctx, s, k.start)
}

// Environ is the mark as variables.
func (m Mark) Environ() []string {
	return []string{runName + "=" + m.Run, runnerName + "=" + m.Runner}
}
