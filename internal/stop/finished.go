package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Completion says which ways to be done were asked for.
type Completion struct {
	Promise       bool // the agent claims
	Plan          bool // the plan file has no open task
	Gates         bool // passing gates alone are enough
	ExitZero      bool // exit status 0 is enough
	Proof         bool // there are gates, and a claim needs them
	Confirmations int  // proven claims in a row; 0 and 1 are one
}

// Asked tells whether any way to be done was asked for.
func (c Completion) Asked() bool { return c.Promise || c.Plan || c.Gates || c.ExitZero }

// Finished stops a run that is done: a claim that the runner's own proof
// agrees with, or, where no proof was set up, a claim that stands alone and is
// called unproven.
func Finished(c Completion) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		o := f.Outcome
		if o == nil {
			return none
		}
		switch claim := o.Claim; {
		case claim != nil && claim.Kind == loop.ClaimDone && !claim.Refused():
			return c.claimed(f)
		case c.Gates && len(o.Gates) > 0 && !o.Red() && o.Result == loop.OK:
			return done(loop.ByGates, "all gates pass", true)
		case c.ExitZero && o.Result == loop.OK && o.Exit.Zero():
			return done(loop.ByExitZero, "the command exited with status 0", false)
		}
		return none
	}
}

func (c Completion) claimed(f loop.Facts) loop.Verdict {
	claim := f.Outcome.Claim
	reason, what := loop.ByPromise, fmt.Sprintf("promise %q found", claim.Text)
	if !c.Promise {
		reason, what = loop.ByPlan, "every task of the plan is done"
	}
	if !c.Proof {
		return done(reason, what+" (claimed, unproven: no gates are set)", false)
	}
	if !claim.Proven || f.State.Confirmed < c.Confirmations {
		return none
	}
	return done(reason, what+", and the gates agree", true)
}

func done(reason loop.Reason, why string, proven bool) loop.Verdict {
	v := end(loop.Done, reason, why)
	v.Proven = proven
	return v
}
