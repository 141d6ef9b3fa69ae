package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// closing is the one line that ends an iteration's line of start. before is the
// state in which the attempt began.
func closing(label string, p *loop.IterationFinished, before loop.State, limits loop.Limits, now time.Time) fact {
	o := &p.Outcome
	if before.TurnedAway(*o) {
		return fact{info, fmt.Sprintf("%s held up: %s; it does not count%s", label, heldUp(o, now), meanwhile(p.Verdict))}
	}
	took := text.Duration(o.Duration.Duration())
	failures := streak("consecutive failures", p.State.Streaks.Failures, limits.Failures)
	switch o.Result {
	case loop.OK:
		return fact{info, fmt.Sprintf("%s completed in %s%s", label, took, cutShort(o))}
	case loop.TimedOut:
		return fact{warning, fmt.Sprintf("WARNING: %s timed out after %s, %s", label, took, failures)}
	case loop.Idle:
		return fact{warning, fmt.Sprintf("WARNING: %s was silent for too long and ended after %s, %s", label, took, failures)}
	case loop.Skipped:
		return fact{info, fmt.Sprintf("%s skipped (%s)", label, skippedBy(o))}
	case loop.Interrupted:
		return fact{info, fmt.Sprintf("%s interrupted after %s%s; it does not count", label, took, interruptedBy(o))}
	case loop.Lost:
		return fact{info, fmt.Sprintf("%s lost: the runner died while it ran; it does not count", label)}
	}
	switch {
	case o.Error != nil && o.Error.Kind == loop.ErrPrompt:
		return fact{warning, fmt.Sprintf("WARNING: The prompt could not be made, %s", failures)}
	case view.AgentFailed(o):
		return fact{warning, fmt.Sprintf("WARNING: AI CLI failed (%s), %s", exit(o.Exit), failures)}
	case o.Red() || o.Claim.Refused():
		// The agent did what it could; what the gates make of it comes next.
		return fact{info, fmt.Sprintf("%s completed in %s%s", label, took, cutShort(o))}
	}
	return fact{warning, "WARNING: Iteration failed, " + failures}
}

// streak counts towards a threshold; 0 is no threshold.
func streak(what string, n, threshold int) string {
	if threshold == 0 {
		return fmt.Sprintf("%s: %d", what, n)
	}
	return fmt.Sprintf("%s: %d/%d", what, n, threshold)
}

func exit(e *loop.Exit) string {
	switch {
	case e == nil:
		return "not started"
	case e.Signal != "":
		return "signal " + e.Signal
	case e.Code != nil:
		return fmt.Sprintf("exit %d", *e.Code)
	}
	return "no exit status"
}

// complaint is what the agent says went wrong, if that adds anything to how
// its process ended.
func complaint(o *loop.Outcome) string {
	if o.Error == nil {
		return ""
	}
	said := strings.TrimPrefix(text.Line(o.Error.Message), exit(o.Exit)+": ")
	switch {
	case said == "" && o.Error.Kind == loop.ErrAgent, said != "" && (said == exit(o.Exit) || said == "ended by "+exit(o.Exit)):
		return ""
	case said == "":
		return text.Words(string(o.Error.Kind))
	}
	return said
}

// after puts a complaint behind what it explains.
func after(complaint string) string {
	if complaint == "" {
		return ""
	}
	return ": " + complaint
}

// cutShort says why an iteration that went well is not all there is.
func cutShort(o *loop.Outcome) string {
	switch {
	case !o.Unfinished():
		return ""
	case o.Exit != nil && o.Exit.Cause == loop.OnRedline:
		return ", cut short by the redline"
	}
	return ", cut short by " + text.Words(string(o.Error.Kind))
}

func skippedBy(o *loop.Outcome) string {
	if o.Hook != nil {
		return o.Hook.Point + " hook requested"
	}
	return "skip requested"
}

func interruptedBy(o *loop.Outcome) string {
	if o.Exit == nil {
		return ""
	}
	switch o.Exit.Cause {
	case loop.OnBudget:
		return " by the budget"
	case loop.OnMaxTime:
		return " by the time limit"
	}
	return ""
}

// heldUp says what kept the agent from its model.
func heldUp(o *loop.Outcome, now time.Time) string {
	switch {
	case o.Result == loop.Unavailable:
		return "the provider is unavailable" + after(complaint(o))
	case o.Result == loop.Failed && o.Error.Kind == loop.ErrAuth:
		return text.Line(o.Agent) + " is not signed in" + after(complaint(o))
	case o.Result == loop.Failed && o.Error.Kind == loop.ErrBilling:
		return text.Line(o.Agent) + " has no credit left" + after(complaint(o))
	case o.Result == loop.Failed:
		return text.Line(o.Agent) + " cannot work" + after(complaint(o))
	case o.Limit == nil:
		return "usage limit" + after(complaint(o))
	}
	said := fmt.Sprintf("usage limit (%s)", text.Line(o.Limit.Kind))
	if o.Limit.Until.IsZero() {
		return said
	}
	return said + " until " + clock(o.Limit.Until, now)
}

// meanwhile names who goes on instead.
func meanwhile(v loop.Verdict) string {
	if v.Rule != loop.RuleFallback {
		return ""
	}
	return ", and " + text.Line(v.Agent) + " goes on meanwhile"
}
