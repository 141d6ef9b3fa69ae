package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// Completion says which ways to be done were asked for.
type Completion struct {
	Promise       bool // the agent claims
	Plan          bool // the plan file has no open task
	Gates         bool // passing gates alone are enough
	ExitZero      bool // exit status 0 is enough
	Check         bool // a check of the program's own finds claims
	Proof         bool // there are gates, and a claim needs them
	ProofOff      bool // there are gates, and they are not to judge claims
	Confirmations int  // proven claims in a row; 0 and 1 are one
}

// Asked tells whether any way to be done was asked for.
func (c Completion) Asked() bool { return c.Promise || c.Plan || c.Gates || c.ExitZero || c.Check }

// Gated tells whether gates look at the work.
func (c Completion) Gated() bool { return c.Proof || c.ProofOff }

// Finished stops a run that is done: a claim that the runner's own proof
// agrees with, or, where no proof was set up, a claim that stands alone and is
// called unproven.
func Finished(s *Settings) Rule {
	return Rule{
		Name: "done", Notices: true, Decide: finished(s.Done), Redecidable: true, CanEnd: s.Done.Asked(),
		Rows: []setting.Row{{
			Key: "done.confirmations", Kind: setting.Positive, At: &s.Done.Confirmations, Default: 1,
			Doc: "how many claims in a row, each with its proof, end the run",
		}},
		Ends: []End{
			{
				Reason: loop.ByPromise, State: loop.Done, Key: "done.promise",
				When:  "the agent claimed done, see [claims](claims.md)",
				Short: "the agent claims done, and the gates agree", Setting: "`done.promise`, `--until`", Default: "none",
			},
			{
				Reason: loop.ByPlan, State: loop.Done, Key: "done.plan",
				When:  "no task of the plan is open, see [the plan](gates.md#the-plan)",
				Short: "no task of the plan is open, and the gates agree", Setting: "`done.plan`, `--plan`", Default: "none",
			},
			{
				Reason: loop.ByGates, State: loop.Done, Key: "done.gates",
				When:  "all gates pass, with `done.gates`",
				Short: "the gates pass", Default: "off",
			},
			{
				Reason: loop.ByExitZero, State: loop.Done, Key: "loop.exit_zero_is_done",
				When:  "the command exited with status 0, where that is a way to be done",
				Short: "the command exits with status 0", Default: "only for `-- COMMAND` without a promise, plan or gate",
			},
			{Reason: loop.ByCheck, State: loop.Done, When: "a completion check of [a program's own](library.md) found a claim"},
			{Reason: loop.ByRule, State: loop.Done, When: "a rule of [a program's own](library.md) says done, and the gates agree"},
		},
	}
}

func finished(c Completion) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		o := f.Outcome
		if o == nil {
			return none
		}
		switch claim := o.Claim; {
		case claim != nil && claim.Kind == loop.ClaimDone && !claim.Refused():
			return c.claimed(f)
		case claim == nil && c.ExitZero && !c.Proof && o.Result == loop.OK && o.Exit.Zero():
			return done(loop.ByExitZero, "the command exited with status 0", false)
		}
		return none
	}
}

// claimed weighs a claim that was not refused.
func (c Completion) claimed(f loop.Facts) loop.Verdict {
	claim := f.Outcome.Claim
	if !c.Proof {
		return Unproven(claim, c.ProofOff)
	}
	if !claim.Proven && f.Outcome.Proof == nil || f.State.Confirmed < c.Confirmations {
		return none
	}
	return Taken(claim, f.Outcome.Proof, f.Outcome.Pinned)
}

// Unproven ends a run on a claim that no gate has judged, though there may be gates
// that are not to.
func Unproven(c *loop.Claim, gated bool) loop.Verdict {
	why := "no gates are set"
	if gated {
		why = `done.proof is "none"`
	}
	return done(c.By, Claimed(c)+" (claimed, unproven: "+why+")", false)
}

// Claimed says in words what a claim comes to.
func Claimed(c *loop.Claim) string {
	switch c.By {
	case loop.ByPlan:
		return "every task of the plan is done"
	case loop.ByExitZero:
		return "the command exited with status 0"
	case loop.ByGates:
		return "all gates pass"
	case loop.ByCheck:
		return fmt.Sprintf("the program's own check found %q", c.Text)
	case loop.ByRule:
		return c.Text
	}
	return fmt.Sprintf("promise %q found", c.Text)
}

// Taken ends a run whose claim the gates agree with, under the name of its
// proof. Pinned files that were changed are named: the gates saw them as they
// were when the run began.
func Taken(c *loop.Claim, p *loop.Proof, pinned []string) loop.Verdict {
	why := Claimed(c)
	if c.By != loop.ByGates {
		why += ", and the gates agree"
	}
	if len(pinned) > 0 {
		why += fmt.Sprintf(" (pinned files had been changed, and were judged as they were when the run began: %s)", text.FirstFew(pinned))
	}
	v := done(c.By, why, p == nil || p.Level == loop.LevelProven) // without: as earlier versions wrote it
	v.Proof = p
	return v
}

func done(reason loop.Reason, why string, proven bool) loop.Verdict {
	v := end(loop.Done, reason, why)
	v.Proven = proven
	return v
}
