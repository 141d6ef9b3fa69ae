package proof

import (
	"context"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// Baseline runs the gates before the first iteration, in the work tree and in a
// clean checkout, and settles where claims are judged. It is nil when it was
// interrupted.
func (j *Judge) Baseline(ctx context.Context, at repo.Checkpoint) (*loop.RunBaseline, []gate.Both) {
	b := &loop.RunBaseline{Checkpoint: at.ID, Proof: loop.InWorkspace}
	if !j.Proof.Baseline {
		return j.unmeasured(b), nil
	}
	both := j.inWorkspace(ctx)
	reachable := j.Store != nil && j.Store.CanRestore()
	if reachable && (j.Proof.Mode == "auto" || j.Proof.Mode == "clean") {
		j.inClean(ctx, at, both)
	}
	for _, one := range both {
		if one.Work.Interrupted || one.Clean != nil && one.Clean.Interrupted {
			return nil, nil
		}
		b.Gates = append(b.Gates, one.Baseline())
	}
	b.SetUp = j.clean != nil && j.clean.problem == ""
	switch {
	case j.Proof.Mode == "none":
		b.Proof = ""
	case j.Proof.Mode == "workspace":
	case !reachable:
		b.Why = "there are no git checkpoints to make a clean checkout from"
	case j.Proof.Mode == "clean":
		b.Proof = loop.InClean
		if where, why := gate.Choose(both, j.setupProblem()); where != loop.InClean {
			b.Why = why // it may yet be mended; until then no claim can be proven
		}
	default:
		b.Proof, b.Why = gate.Choose(both, j.setupProblem())
	}
	return b, both
}

// unmeasured is what holds without a baseline: nothing is known of a clean
// checkout, so claims are judged there only when that was asked for.
func (j *Judge) unmeasured(b *loop.RunBaseline) *loop.RunBaseline {
	switch {
	case j.Proof.Mode == "none":
		b.Proof = ""
	case j.Proof.Mode == "clean":
		b.Proof = loop.InClean
	case j.Proof.Mode == "auto":
		b.Why = "proof.baseline is off, so nobody knows whether a clean checkout would do"
	}
	return b
}

func (j *Judge) inWorkspace(ctx context.Context) []gate.Both {
	var list []gate.Both
	for _, g := range j.Gates {
		if g.Review {
			continue // there is nothing to review yet
		}
		list = append(list, gate.Both{Work: j.check(ctx, loop.State{}, g, loop.InWorkspace, repo.Checkpoint{})})
		if list[len(list)-1].Work.Interrupted {
			break
		}
	}
	return list
}

// inClean runs the same gates in the clean checkout.
func (j *Judge) inClean(ctx context.Context, at repo.Checkpoint, both []gate.Both) {
	for i := range both {
		if both[i].Work.Interrupted {
			return
		}
		r := j.check(ctx, loop.State{}, j.named(both[i].Work.Name), loop.InClean, at)
		both[i].Clean = &r
		if r.Interrupted {
			return
		}
	}
}

func (j *Judge) setupProblem() string {
	if j.clean == nil {
		return ""
	}
	return j.clean.problem
}
