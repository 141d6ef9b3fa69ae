package proof

import (
	"context"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// claimInClean judges a claim in the clean checkout. When a gate is red there
// and green in the work tree, the checkout lacks something, and that is not the
// agent's failure: it is set up once more, and then a person is needed.
func (j *Judge) claimInClean(ctx context.Context, s loop.State, at repo.Checkpoint) Ruling {
	r := j.inCleanOnce(ctx, s, at)
	if r.Interrupted || r.Why != "" {
		return r
	}
	red := failing(r.Results)
	if len(red) == 0 {
		return r
	}
	here, guilty := j.alsoHere(ctx, s, at, red)
	switch {
	case interrupted(here):
		r.Interrupted = true
		return r
	case guilty != "":
		r.Why = guilty
		return r
	}
	j.clean.forget()
	r = j.inCleanOnce(ctx, s, at)
	if red = failing(r.Results); r.Interrupted || r.Why != "" || len(red) == 0 {
		return r
	}
	if review := slices.IndexFunc(red, func(one gate.Result) bool { return j.named(one.Name).Review }); review >= 0 {
		r.Why = refusal(red)
		return r
	}
	r.Person = disagreement(red[0])
	for _, one := range here { // as it is where the agent worked
		if i := slices.IndexFunc(r.Results, func(other gate.Result) bool { return other.Name == one.Name }); i >= 0 {
			r.Results[i] = one
		}
	}
	return r
}

// inCleanOnce runs every gate in the clean checkout. Why is set when the claim
// cannot stand whatever the gates say.
func (j *Judge) inCleanOnce(ctx context.Context, s loop.State, at repo.Checkpoint) Ruling {
	r := Ruling{Results: j.run(ctx, s, loop.InClean, at, everyGate)}
	if r.Interrupted = interrupted(r.Results); r.Interrupted {
		return r
	}
	var err error
	r.Pinned, err = j.changedPins(ctx, at)
	unpinnable := j.beyond(r.Pinned)
	switch {
	case err != nil:
		r.Why = err.Error()
	case len(unpinnable) > 0:
		r.Why = "pinned files that git ignores were changed: " + loop.Few(unpinnable)
	case j.clean != nil && j.clean.problem != "" && s.SetUp:
		r.Why = "the clean checkout can no longer be set up: " + j.clean.problem
	}
	return r
}

// alsoHere runs red gates in the work tree, until one says that the agent is to
// blame.
func (j *Judge) alsoHere(ctx context.Context, s loop.State, at repo.Checkpoint, red []gate.Result) (here []gate.Result, guilty string) {
	for _, bad := range red {
		g := j.named(bad.Name)
		pins, err := j.pinned(ctx, at, g)
		switch {
		case err != nil:
			return here, err.Error()
		case len(pins) > 0:
			return here, refusal(red) + " with the pinned files as they were when the run began (changed: " + loop.Few(pins) + ")"
		case bad.Known, g.Review: // red in both places all along, or a matter of opinion
			return here, refusal(red)
		}
		r := j.check(ctx, s, g, loop.InWorkspace, at)
		here = append(here, r)
		if !r.OK {
			return here, refusal(red)
		}
	}
	return here, ""
}

func disagreement(r gate.Result) string {
	missing := r.Why
	if r.Telling != "" {
		missing += ": " + r.Telling
	}
	return fmt.Sprintf("gate %s passes in the work tree and fails in a clean checkout of it (%s); give the checkout what it lacks with proof.setup or proof.copy, or let the work tree do with done.proof = \"workspace\", then resume with --accept-config", r.Name, missing)
}
