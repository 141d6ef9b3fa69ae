package engine

import (
	"context"
	"fmt"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/text"
)

// Done is which claims are made without the agent's words.
type Done struct {
	Plan     bool // no task is open
	Gates    bool // all gates pass
	ExitZero bool // the command exited with status 0

	Confirmations int // how often a claim must be made
}

// guard fails an attempt that changed what is protected.
const guard = "protect"

// judge lets the gates look at an attempt that ended well: where claims are
// judged if it claims to be done, else in the work tree.
func (e *Engine) judge(ctx context.Context, a *attempt, o *loop.Outcome) {
	if o.Result != loop.OK {
		return
	}
	e.guardPaths(ctx, a, o)
	e.claim(a, o)
	if len(e.Judge.Gates) == 0 {
		e.settle(o, proof.Ruling{})
		return
	}
	e.record(&loop.IterationPhase{Phase: loop.Gates})
	e.untouched = nil // what a gate writes is not the next agent's work
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	ruling := untilKept(ctx, func() proof.Ruling { return e.rule(ctx, a, o) })
	e.addSpent(o)
	if ruling.Interrupted {
		a.open = true
		return
	}
	e.weighResults(ctx, a, o, ruling)
	e.settle(o, ruling)
}

// claim hears the claims that are made without words, and refuses one that the
// plan does not bear out.
func (e *Engine) claim(a *attempt, o *loop.Outcome) {
	if e.Written != "" && claimed(o) {
		if _, err := plan.Read(e.Written); err != nil {
			e.refuse(o, err.Error(), "")
			return
		}
	}
	if why := a.refusedByPlan(o); why != "" {
		if o.Claim != nil && o.Claim.Kind == loop.ClaimDone {
			e.refuse(o, why, "")
		} else if o.Plan != nil && o.Plan.Open+o.Plan.InProgress == 0 && e.Done.Plan && !o.Unfinished() {
			o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "plan", By: loop.ByPlan}
			e.refuse(o, why, "")
		}
		return
	}
	if o.Claim != nil || o.Unfinished() || o.Pending && len(e.Judge.Gates) == 0 {
		return
	}
	switch {
	case e.Done.Plan && o.Plan != nil:
		o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "plan", By: loop.ByPlan}
	case e.Done.ExitZero && len(e.Judge.Gates) > 0 && o.Exit.Zero():
		o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "exit 0", By: loop.ByExitZero}
	default:
		return
	}
	e.record(&loop.ClaimHeard{Kind: o.Claim.Kind, Text: o.Claim.Text})
}

// claimed tells whether there is a claim for the gates to judge.
func claimed(o *loop.Outcome) bool {
	return o.Claim != nil && o.Claim.Kind == loop.ClaimDone && !o.Claim.Refused()
}

// rule runs the gates.
func (e *Engine) rule(ctx context.Context, a *attempt, o *loop.Outcome) proof.Ruling {
	s := e.snapshot()
	j := e.bench(ctx, a)
	if claimed(o) && e.Judge.Proof.Mode != "none" {
		return j.Claim(ctx, s, a.kept(), nil)
	}
	r := j.Attempt(ctx, s, a.kept())
	if o.Claim == nil && e.Done.Gates && !o.Unfinished() && r.Green() && !red(o) {
		// Green in the work tree is the claim; the proof comes after it.
		o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "gates", By: loop.ByGates}
		e.record(&loop.ClaimHeard{Kind: o.Claim.Kind, Text: o.Claim.Text})
		return j.Claim(ctx, s, a.kept(), r.Results)
	}
	return r
}

// red tells whether something has failed the attempt before any gate ran.
func red(o *loop.Outcome) bool { return len(o.Gates) > 0 }

// weighResults takes over what the gates found.
func (e *Engine) weighResults(ctx context.Context, a *attempt, o *loop.Outcome, r proof.Ruling) {
	var counts *loop.Tests
	for _, one := range r.Results {
		o.Gates = append(o.Gates, one.Gate)
		counts = counts.Plus(one.Tests)
		if !one.OK {
			a.told = append(a.told, gate.Feedback(one, e.FeedbackRoom))
		}
	}
	if r.Lacks != "" && r.Why != "" {
		a.told = append(a.told, "the claim was refused: "+r.Why)
	}
	for _, one := range r.Old {
		a.told = append(a.told, "with the tests as they were when the run began, "+gate.Feedback(one, e.FeedbackRoom))
	}
	if counts != nil {
		o.Tests = counts
	}
	o.Pinned, o.Person = r.Pinned[:min(len(r.Pinned), mostPaths)], r.Person
	e.snapshot().Compare(o)
	if o.Tests != nil {
		o.Tests.NewlyFixed = e.Judge.Fixed(ctx, a.kept(), r, o.Tests.NewlyFixed)
	}
	if o.Red() {
		o.Result = loop.Failed
	}
}

// settle says what came of a claim.
func (e *Engine) settle(o *loop.Outcome, r proof.Ruling) {
	if !claimed(o) {
		return
	}
	switch {
	case red(o) && o.Gates[0].Name == guard:
		e.refuse(o, o.Gates[0].Why, "")
	case r.Why != "":
		e.refuse(o, r.Why, r.Lacks)
	case r.Proof != nil:
		o.Proof, o.Claim.Proven = r.Proof, r.Proof.Level == loop.LevelProven
	}
}

// refuse says that a claim does not stand, and what it lacks where that is not a
// red gate.
func (e *Engine) refuse(o *loop.Outcome, why, lacks string) {
	o.Claim.Why, o.Claim.Lacks, o.Claim.Proven, o.Proof = why, lacks, false, nil
	e.record(&loop.ClaimRefused{Kind: o.Claim.Kind, Text: o.Claim.Text, Why: why, Lacks: lacks})
}

// guardPaths fails an attempt as long as a protected file is not what it was
// when the run began.
func (e *Engine) guardPaths(ctx context.Context, a *attempt, o *loop.Outcome) {
	touched, err := e.touched(ctx)
	why := ""
	switch {
	case err != nil:
		why = "the protected files cannot be looked at: " + err.Error()
	case len(touched) > 0:
		why = fmt.Sprintf("protected %s changed: %s", noun(len(touched), "file"), text.FirstFew(touched))
	default:
		return
	}
	o.Gates = append(o.Gates, loop.Gate{Name: guard, Where: loop.InWorkspace, Why: why})
	o.Result = loop.Failed
	a.told = append(a.told, why+"; put back what was there when the run began, and leave it alone")
	e.record(&loop.GateFinished{Gate: o.Gates[0]})
}
