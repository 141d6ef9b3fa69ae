package proof

import (
	"context"
	"io"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Claims is which claims there are, and what the judge's rulings make of them.
//
//	first       the baseline; a plan that was finished before is a claim     Baseline, DoneBefore
//	attempt     heard, or made without words ─► ruled on ─► taken, refused   Check
//	committed   the tree moved since it was judged ─► judged again           CheckAgain
type Claims struct {
	*engine.Kit
	Judge *Judge
	Tree  Tree
	Done  Done
	Room  int // bytes that one gate may take in the next prompt

	ChangedPins     func() git.Guarded    // pinned files that agents have changed
	PlanFinished    func() bool           // nothing of the plan is open
	TellUncommitted func(context.Context) // says what a commit does not hold
	// Disturbs says that hooks or scripts of the user's run in the work tree after
	// the agent.
	Disturbs bool
}

// Tree is the work tree, as far as claims are about it.
type Tree interface {
	First(context.Context) *checkpoint.Checkpoint
	After() checkpoint.Checkpoint
	Keep(ctx context.Context, base bool) *checkpoint.Checkpoint
	Look(context.Context) *checkpoint.Checkpoint
	Became(*checkpoint.Checkpoint)
}

// Done is which claims are made without the agent's words.
type Done struct {
	Plan     bool // no task is open
	Gates    bool // all gates pass
	ExitZero bool // the command exited with status 0
	// Rules is what a rule of the program's gives for the work being done; empty: none
	// does; nil: there is none. It is asked with the outcome in the state.
	Rules func(loop.Facts) string

	Confirmations int // how often a claim must be made
}

// Open takes up what an earlier runner knew of the tests.
func (c *Claims) Open(context.Context) error {
	before := c.Journal.Attempt(0, 1)
	defer before.Close()
	var earlier Known
	if before.ReadKnown(&earlier) {
		c.Judge.Recall(earlier)
	}
	c.Judge.Remember = func(known Known) {
		before := c.Journal.Attempt(0, 1)
		before.WriteKnown(known)
		before.Close()
	}
	return nil
}

// judge is the judge for an attempt, or, without one, for what comes before the
// first.
func (c *Claims) judge(ctx context.Context, a *engine.Attempt) *Judge {
	j := c.Judge
	j.Exec, j.Hide, j.Spoiled, j.First = c.Exec, c.Hide, c.ChangedPins(), c.Tree.First(ctx)
	j.Tell = func(p loop.Payload) { c.Record(p) }
	j.File = func(name string, where loop.Place, kind string) (io.WriteCloser, string) {
		if a != nil {
			return a.Dir.GateFile(name, where, kind)
		}
		return c.Journal.Attempt(0, 1).GateFile(name, where, kind)
	}
	return j
}

// Baseline runs the gates before the first iteration, or anew, as long as nobody
// wants to stop. It tells whether they came to their end. A verdict says that one of
// them can not work in the sandbox.
func (c *Claims) Baseline(ctx context.Context, anew bool) (*loop.Verdict, bool) {
	if len(c.Judge.Gates) == 0 && !anew {
		return nil, true
	}
	ctx, done := c.UntilAsked(ctx)
	defer done()
	var at checkpoint.Checkpoint
	if kept := c.Tree.Keep(ctx, true); kept != nil {
		at = *kept
	}
	var b *loop.RunBaseline
	var both []gate.Both
	for n := 0; n < engine.LostTooOften && b == nil && ctx.Err() == nil; n++ { // again, when it was lost with its keeper
		b, both = c.judge(ctx, nil).Baseline(ctx, at)
	}
	if b == nil {
		return nil, false
	}
	c.Record(b)
	if b.Why != "" {
		c.Record(&loop.Warning{Text: cannotProve(b), Hint: "if that is what you want, set done.proof = \"workspace\""})
	}
	return c.sandboxed(b, both), true
}

// Sandboxed is the end of a run with a gate that passes outside of the sandbox alone,
// and how to let it have what it needs.
func Sandboxed(g gate.Both) (v loop.Verdict, hint string) {
	said, hint := gate.Refused(g.Work.Tail)
	return stop.Sandboxed(g.Work.Name, said), hint
}

// sandboxed ends a run with a gate that can not work in the sandbox, and says how to
// let it.
func (c *Claims) sandboxed(b *loop.RunBaseline, both []gate.Both) *loop.Verdict {
	for i, g := range b.Gates {
		if !g.Outside {
			continue
		}
		v, hint := Sandboxed(both[i])
		c.Record(&loop.Warning{Text: v.Why, Hint: hint})
		return &v
	}
	return nil
}

func cannotProve(b *loop.RunBaseline) string {
	if b.Proof == loop.InClean {
		return "no claim can be proven yet: " + b.Why
	}
	return "claims are judged in the work tree, not in a clean checkout: " + b.Why
}

// DoneBefore judges a plan that had no open task when the run began. A verdict
// means that there is nothing to do.
func (c *Claims) DoneBefore(ctx context.Context) *loop.Verdict {
	if !c.Done.Plan || c.Done.Confirmations > 1 || !c.PlanFinished() {
		return nil
	}
	claim := &loop.Claim{Kind: loop.ClaimDone, Text: "plan", By: loop.ByPlan}
	c.Record(&loop.ClaimHeard{Kind: claim.Kind, Text: claim.Text})
	if len(c.Judge.Gates) == 0 || c.Judge.Proof.Mode == "none" {
		v := stop.Unproven(claim, len(c.Judge.Gates) > 0) // there was no iteration that a limit could count
		return &v
	}
	ctx, done := c.UntilAsked(ctx)
	defer done()
	var at checkpoint.Checkpoint
	if now := c.Tree.Look(ctx); now != nil {
		at = *now
	}
	r := untilKept(ctx, func() Ruling { return c.judge(ctx, nil).Claim(ctx, c.State(), at, nil) })
	switch {
	case r.Interrupted:
		v := c.Decide(nil)
		return &v
	case r.Proof != nil:
		v := stop.Taken(claim, r.Proof, nil)
		return &v
	case r.Person != "":
		r.Why = r.Person
	}
	c.Record(&loop.ClaimRefused{Kind: claim.Kind, Text: claim.Text, Why: r.Why})
	return nil
}

// Check lets the gates look at an attempt that ended well: where claims are
// judged if it claims to be done, else in the work tree.
func (c *Claims) Check(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if o.Result != loop.OK && !protectedChanged(o) {
		return
	}
	c.hear(a, o)
	if len(c.Judge.Gates) == 0 {
		c.settle(o, Ruling{})
		return
	}
	c.Record(&loop.IterationPhase{Phase: loop.Gates})
	a.Touched = true // what a gate writes is not the next agent's work
	ctx, done := c.UntilStopped(ctx)
	defer done()
	ruling := untilKept(ctx, func() Ruling { return c.rule(ctx, a, o) })
	c.addSpent(o)
	if ruling.Interrupted {
		a.CutShort = true
		return
	}
	c.take(ctx, a, o, ruling)
	c.settle(o, ruling)
}

// protectedChanged tells whether a change of protected files has failed an attempt
// that ended well.
func protectedChanged(o *loop.Outcome) bool {
	return len(o.Gates) > 0 && o.Gates[0].Name == loop.ProtectGate
}

// hear takes in the claims that are made without words, and refuses one that the
// plan does not bear out.
func (c *Claims) hear(a *engine.Attempt, o *loop.Outcome) {
	if a.Refusal != "" {
		if o.Claim != nil && o.Claim.Kind == loop.ClaimDone {
			c.refuse(o, a.Refusal, "")
		} else if o.Plan != nil && o.Plan.Open+o.Plan.InProgress == 0 && c.Done.Plan && !o.Unfinished() {
			o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "plan", By: loop.ByPlan}
			c.refuse(o, a.Refusal, "")
		}
		return
	}
	if o.Claim != nil || o.Unfinished() || o.Pending && len(c.Judge.Gates) == 0 {
		return
	}
	switch {
	case c.Done.Plan && o.Plan != nil:
		o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "plan", By: loop.ByPlan}
	case c.Done.ExitZero && len(c.Judge.Gates) > 0 && o.Exit.Zero():
		o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "exit 0", By: loop.ByExitZero}
	default:
		return
	}
	c.Record(&loop.ClaimHeard{Kind: o.Claim.Kind, Text: o.Claim.Text})
}

// MayCome tells whether what an attempt has left may be judged as done: because that
// was claimed, or because nobody need say so.
func (c *Claims) MayCome(o *loop.Outcome) bool {
	return o.Claim != nil || c.Done.Gates || c.Done.Rules != nil || c.Done.ExitZero && o.Exit.Zero() || c.Done.Plan && c.PlanFinished()
}

// AskRules has a rule of the program's claim that the work is done, when all else is
// known of an attempt that ended well. The gates judge that as any claim.
func (c *Claims) AskRules(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if c.Done.Rules == nil || o.Result != loop.OK || o.Claim != nil || o.Unfinished() || o.Pending && len(c.Judge.Gates) == 0 {
		return
	}
	facts := c.Facts(o)
	facts.State = facts.State.Add(*o)
	why := c.Done.Rules(facts)
	if why == "" {
		return
	}
	o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: why, By: loop.ByRule}
	c.Record(&loop.ClaimHeard{Kind: o.Claim.Kind, Text: o.Claim.Text})
	if a.Refusal != "" {
		c.refuse(o, a.Refusal, "")
		return
	}
	if len(c.Judge.Gates) == 0 || c.Judge.Proof.Mode == "none" {
		return
	}
	a.Touched = true
	ctx, done := c.UntilStopped(ctx)
	defer done()
	o.Gates = nil
	c.judgeClaim(ctx, a, o, c.Tree.After())
}

// rule runs the gates.
func (c *Claims) rule(ctx context.Context, a *engine.Attempt, o *loop.Outcome) Ruling {
	s, j, after := c.State(), c.judge(ctx, a), c.Tree.After()
	if o.ClaimsDone() && j.Proof.Mode != "none" {
		return j.Claim(ctx, s, after, nil)
	}
	r := j.Attempt(ctx, s, after)
	if o.Claim == nil && c.Done.Gates && !o.Unfinished() && r.Green() && len(o.Gates) == 0 {
		// Green in the work tree is the claim; the proof comes after it.
		o.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "gates", By: loop.ByGates}
		c.Record(&loop.ClaimHeard{Kind: o.Claim.Kind, Text: o.Claim.Text})
		return j.Claim(ctx, s, after, r.Results)
	}
	return r
}

// untilKept runs gates again that were lost with their keeper: that says nothing
// of the work. When it happens again and again, it does.
func untilKept(ctx context.Context, rule func() Ruling) Ruling {
	for n := 1; ; n++ {
		r := rule()
		if !r.Interrupted || ctx.Err() != nil {
			return r
		}
		if n == engine.LostTooOften {
			r.Interrupted, r.Why = false, "the gates do not come to their end"
			for _, one := range r.Results {
				if one.Interrupted {
					r.Why = one.Why
				}
			}
			return r
		}
	}
}

// addSpent adds what reviewers used.
func (c *Claims) addSpent(o *loop.Outcome) {
	if c.Judge.Spent == nil {
		return
	}
	if used := c.Judge.Spent(); used != nil {
		sum := o.Usage.Plus(used)
		o.Usage = &sum
	}
}

// maxPinned is how many changed pinned files an outcome names.
const maxPinned = 100

// take takes over what the gates found.
func (c *Claims) take(ctx context.Context, a *engine.Attempt, o *loop.Outcome, r Ruling) {
	var counts *loop.Tests
	for _, one := range r.Results {
		o.Gates = append(o.Gates, one.Gate)
		counts = counts.Plus(one.Tests)
		if !one.OK {
			a.Feedback = append(a.Feedback, gate.Feedback(one, c.Room))
		}
	}
	if r.Lacks != "" && r.Why != "" {
		a.Feedback = append(a.Feedback, "the claim was refused: "+r.Why)
	}
	for _, one := range r.Old {
		a.Feedback = append(a.Feedback, "with the tests as they were when the run began, "+gate.Feedback(one, c.Room))
	}
	if counts != nil {
		o.Tests = counts
	}
	o.Pinned, o.Person = r.Pinned[:min(len(r.Pinned), maxPinned)], r.Person
	c.State().Compare(o)
	if o.Tests != nil {
		o.Tests.NewlyFixed = c.Judge.Fixed(ctx, c.Tree.After(), r, o.Tests.NewlyFixed)
	}
	if o.Red() {
		o.Result = loop.Failed
	}
}

// settle says what came of a claim.
func (c *Claims) settle(o *loop.Outcome, r Ruling) {
	if !o.ClaimsDone() {
		return
	}
	switch {
	case protectedChanged(o):
		c.refuse(o, o.Gates[0].Why, "")
	case r.Why != "":
		c.refuse(o, r.Why, r.Lacks)
	case r.Proof != nil:
		o.Proof, o.Claim.Proven = r.Proof, r.Proof.Level == loop.LevelProven
	}
}

// refuse says that a claim does not stand, and what it lacks where that is not a
// red gate.
func (c *Claims) refuse(o *loop.Outcome, why, lacks string) {
	o.Claim.Why, o.Claim.Lacks, o.Claim.Proven, o.Proof = why, lacks, false, nil
	c.Record(&loop.ClaimRefused{Kind: o.Claim.Kind, Text: o.Claim.Text, Why: why, Lacks: lacks})
}

// maxAgain is how often a claim is judged again. What changes the files every
// time, the work is not.
const maxAgain = 2

// CheckAgain judges a claim that was taken once more, when the tree is no longer
// the one that was judged: a hook of the user's, or of git's when the work was
// committed, or a gate in the work tree, has changed it. What a run leaves behind
// is what was proven.
func (c *Claims) CheckAgain(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	committed := a.Committed != ""
	if o.Proof == nil || o.Proof.Tree == "" || c.Judge.Store == nil || !committed && !c.disturbed(o) {
		return
	}
	ctx, done := c.UntilStopped(ctx)
	defer done()
	for range maxAgain {
		now := c.Tree.Look(ctx)
		switch {
		case ctx.Err() != nil:
			a.CutShort = true
			return
		case now == nil:
			c.weaken(o, "the files could not be looked at after they were judged")
			return
		case c.sameFiles(ctx, o, now, committed):
			return
		}
		c.Record(&loop.Warning{Text: "the files are no longer those that were judged: the claim is judged again", Hint: "a hook or a gate has changed them"})
		if c.Tree.Became(now); !c.judgeAgain(ctx, a, o, now) {
			return
		}
		c.TellUncommitted(ctx)
	}
	c.weaken(o, "the files are changed each time that they are judged")
}

// disturbed tells whether something ran in the work tree after the agent.
func (c *Claims) disturbed(o *loop.Outcome) bool {
	return c.Disturbs || slices.ContainsFunc(o.Gates, func(g loop.Gate) bool { return g.Where == loop.InWorkspace })
}

// sameFiles tells whether the tree is what was judged. What gates only add in the
// work tree, a report or a cache, is no part of the work.
func (c *Claims) sameFiles(ctx context.Context, o *loop.Outcome, now *checkpoint.Checkpoint, committed bool) bool {
	if now.Tree == o.Proof.Tree {
		return true
	}
	if committed || c.Disturbs {
		return false
	}
	judged, err := c.Judge.Store.Load(ctx, o.Checkpoint)
	if err != nil {
		return false
	}
	changes, err := c.Judge.Store.Changes(ctx, judged, *now)
	return err == nil && !slices.ContainsFunc(changes.Paths, func(p loop.PathChange) bool { return p.Change != "created" })
}

// judgeAgain judges the claim on another tree, and tells whether it was taken.
func (c *Claims) judgeAgain(ctx context.Context, a *engine.Attempt, o *loop.Outcome, now *checkpoint.Checkpoint) bool {
	o.Tree, o.Checkpoint = now.Tree, now.ID
	o.Gates, o.Proof, o.Claim.Proven = nil, nil, false
	return c.judgeClaim(ctx, a, o, *now)
}

// judgeClaim judges the claim of an outcome that no gate has looked at, and tells
// whether it was taken.
func (c *Claims) judgeClaim(ctx context.Context, a *engine.Attempt, o *loop.Outcome, at checkpoint.Checkpoint) bool {
	r := untilKept(ctx, func() Ruling { return c.judge(ctx, a).Claim(ctx, c.State(), at, nil) })
	c.addSpent(o)
	if r.Interrupted {
		a.CutShort = true
		return false
	}
	c.take(ctx, a, o, r)
	c.settle(o, r)
	return o.Proof != nil
}

// weaken takes from a claim a proof that does not hold for what is left behind.
func (c *Claims) weaken(o *loop.Outcome, why string) {
	less := *o.Proof
	if less.Level == loop.LevelProven {
		less.Level, less.Why = loop.LevelKept, "the gates pass, but "+why
	}
	o.Proof, o.Claim.Proven = &less, false
}
