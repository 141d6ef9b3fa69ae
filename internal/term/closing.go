package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// closing is the one line that ends an iteration's line of start.
func closing(label string, p *loop.IterationFinished, limits loop.Limits, now time.Time) fact {
	o := &p.Outcome
	took := view.Duration(o.Duration.Duration())
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
	case loop.Limited:
		return fact{info, fmt.Sprintf("%s held up: %s; it does not count", label, limit(o, now))}
	case loop.Unavailable:
		return fact{info, fmt.Sprintf("%s held up: the provider is unavailable%s; it does not count", label, after(complaint(o)))}
	case loop.Lost:
		return fact{info, fmt.Sprintf("%s lost: the runner died while it ran; it does not count", label)}
	}
	switch {
	case o.Error != nil && o.Error.Kind == loop.ErrPrompt:
		return fact{warning, fmt.Sprintf("WARNING: The prompt could not be made, %s", failures)}
	case failedByAgent(o):
		return fact{warning, fmt.Sprintf("WARNING: AI CLI failed (%s), %s", exit(o.Exit), failures)}
	case o.Red() || o.Claim.Refused():
		// The agent did what it could; what the gates make of it comes next.
		return fact{info, fmt.Sprintf("%s completed in %s%s", label, took, cutShort(o))}
	}
	return fact{warning, "WARNING: Iteration failed, " + failures}
}

// failedByAgent tells a failure of the agent's from what gates make of work
// that ended well.
func failedByAgent(o *loop.Outcome) bool {
	return o.Result == loop.Failed && !o.Unfinished() && (o.Error != nil || !o.Exit.Zero())
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
	said := strings.TrimPrefix(view.Line(o.Error.Message), exit(o.Exit)+": ")
	switch {
	case said == "" && o.Error.Kind == loop.ErrAgent, said != "" && (said == exit(o.Exit) || said == "ended by "+exit(o.Exit)):
		return ""
	case said == "":
		return words(string(o.Error.Kind))
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
	return ", cut short by " + words(string(o.Error.Kind))
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

func limit(o *loop.Outcome, now time.Time) string {
	if o.Limit == nil {
		return "usage limit" + after(complaint(o))
	}
	said := fmt.Sprintf("usage limit (%s)", view.Line(o.Limit.Kind))
	if o.Limit.Until.IsZero() {
		return said
	}
	return said + " until " + clock(o.Limit.Until, now)
}

// words turns a name of the journal into words.
func words(name string) string { return view.Line(strings.ReplaceAll(name, "_", " ")) }
