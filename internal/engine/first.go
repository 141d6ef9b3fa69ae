package engine

import (
	"context"
	"io"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/stop"
)

// first is what happens before the first iteration: the tree is kept as it was,
// the gates say how it stands, and a plan that is finished already is a claim.
func (e *Engine) first(ctx context.Context) loop.Verdict {
	v := e.ask()
	if v.Action == loop.Stop {
		return v
	}
	if len(e.Judge.Gates) > 0 {
		if !e.baseline(ctx) {
			return e.ask()
		}
	}
	tasks, err := e.readPlan()
	if !e.Done.Plan || err != nil || !tasks.Finished() || e.Done.Confirmations > 1 {
		return v
	}
	return e.finishedBefore(ctx, v)
}

// baseline runs the gates as long as nobody wants to stop.
func (e *Engine) baseline(ctx context.Context) bool {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watchSoon(cancel)()
	var at checkpoint.Checkpoint
	if s := e.look(ctx); s != nil && s.kept != nil {
		at = *s.kept
		e.noteCheckpoint(s, true)
	}
	var b *loop.RunBaseline
	for n := 0; n < lostTooOften && b == nil && ctx.Err() == nil; n++ { // again, when it was lost with its keeper
		b, _ = e.bench(ctx, nil).Baseline(ctx, at)
	}
	if b == nil {
		return false
	}
	e.record(b)
	if b.Why != "" {
		e.record(&loop.Warning{Text: proofWords(b), Hint: "done.proof = \"workspace\" says that this is meant"})
	}
	return true
}

func proofWords(b *loop.RunBaseline) string {
	if b.Proof == loop.InClean {
		return "no claim can be proven yet: " + b.Why
	}
	return "claims are judged in the work tree, not in a clean checkout: " + b.Why
}

// finishedBefore judges a plan that had no open task when the run began.
func (e *Engine) finishedBefore(ctx context.Context, goOn loop.Verdict) loop.Verdict {
	claim := &loop.Claim{Kind: loop.ClaimDone, Text: "plan", By: loop.ByPlan}
	e.record(&loop.ClaimHeard{Kind: claim.Kind, Text: claim.Text})
	if len(e.Judge.Gates) == 0 || e.Judge.Proof.Mode == "none" {
		v := loop.Decide(e.facts(&loop.Outcome{Claim: claim}), e.rules())
		return v
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watchSoon(cancel)()
	var at checkpoint.Checkpoint
	if s := e.look(ctx); s != nil && s.kept != nil {
		at = *s.kept
	}
	r := untilKept(ctx, func() proof.Ruling { return e.bench(ctx, nil).Claim(ctx, e.snapshot(), at, nil) })
	switch {
	case r.Interrupted:
		return e.ask()
	case r.Proof != nil:
		return stop.Taken(claim, r.Proof, nil)
	case r.Person != "":
		r.Why = r.Person
	}
	e.record(&loop.ClaimRefused{Kind: claim.Kind, Text: claim.Text, Why: r.Why})
	return goOn
}

// bench is the judge for an attempt, or, without one, for what comes before the
// first.
func (e *Engine) bench(ctx context.Context, a *attempt) *proof.Judge {
	j := &e.Judge
	j.Store, j.Exec, j.Accepted = e.Store, e.exec, e.Accepted
	j.Tell = func(p loop.Payload) { e.record(p) }
	j.Log = func(name string, where loop.Place) io.WriteCloser {
		if a != nil {
			return a.dir.GateLog(name, where)
		}
		return e.Journal.Attempt(0, 1).GateLog(name, where)
	}
	j.First = e.firstKept(ctx)
	return j
}

// recall finds again what an earlier runner had to tell the next agent.
func (e *Engine) recall() {
	if last := e.Past.Last; last != nil {
		a := e.Journal.Attempt(last.Iter, last.Attempt)
		defer a.Close()
		e.told = a.ReadFeedback()
		a.ReadPlan(&e.tasks)
		outcome := last.Payload.(*loop.IterationFinished).Outcome
		if e.Prompt != nil {
			e.Prompt.Last = &outcome
		}
		e.remember(&outcome)
	}
}

// firstKept is the checkpoint before the first iteration; nil when there is none.
func (e *Engine) firstKept(ctx context.Context) *checkpoint.Checkpoint {
	if e.Judge.First == nil && e.Store != nil {
		if first := e.sightOf(ctx, e.snapshot().First); first != nil {
			e.Judge.First = first.kept
		}
	}
	return e.Judge.First
}
