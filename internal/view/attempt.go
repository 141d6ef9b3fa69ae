package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// closing is the one line that ends an iteration's line of start. before is the
// state in which the attempt began.
func closing(words vocabulary, label string, p *loop.IterationFinished, before loop.State, limits loop.Limits, now time.Time) Fact {
	o := &p.Outcome
	if before.HeldByProvider(*o) {
		return Fact{Kind: Info, Text: fmt.Sprintf("%s held up: %s; it does not count%s", label, heldUp(o, now), meanwhile(p.Verdict))}
	}
	took := text.Duration(o.Duration.Duration())
	failures := streak("consecutive failures", p.State.Streaks.Failures, limits.Failures)
	switch o.Result {
	case loop.OK:
		return Fact{Kind: Info, Text: fmt.Sprintf("%s completed in %s%s", label, took, cutShort(o))}
	case loop.TimedOut:
		return Fact{Kind: Warning, Text: fmt.Sprintf("WARNING: %s timed out after %s, %s", label, took, failures)}
	case loop.Idle:
		return Fact{Kind: Warning, Text: fmt.Sprintf("WARNING: %s was silent for too long and ended after %s, %s", label, took, failures)}
	case loop.Skipped:
		return Fact{Kind: Info, Text: fmt.Sprintf("%s skipped (%s)", label, skippedBy(o))}
	case loop.Interrupted:
		return Fact{Kind: Info, Text: fmt.Sprintf("%s interrupted after %s%s; it does not count", label, took, interruptedBy(o))}
	case loop.Lost:
		return Fact{Kind: Info, Text: fmt.Sprintf("%s lost: %s while it ran; it does not count", label, whoDied(o))}
	}
	switch {
	case o.Error != nil && o.Error.Kind == loop.ErrPrompt:
		return Fact{Kind: Warning, Text: fmt.Sprintf("WARNING: The prompt could not be made, %s", failures)}
	case AgentFailed(o):
		return Fact{Kind: Warning, Text: fmt.Sprintf("WARNING: %s (%s), %s%s", words.agentFailed, exit(o.Exit), failures, workedFor(o))}
	case o.Red() || o.Claim.Refused():
		// The agent did what it could; what the gates make of it comes next.
		return Fact{Kind: Info, Text: fmt.Sprintf("%s completed in %s%s", label, took, cutShort(o))}
	}
	return Fact{Kind: Warning, Text: "WARNING: Iteration failed, " + failures + workedFor(o)}
}

// workedFor is how long an agent that failed was at work. It stands at the end: people
// know the words before it, and look for them.
func workedFor(o *loop.Outcome) string {
	if o.Exit == nil { // it was not
		return ""
	}
	return " (after " + text.Duration(o.Duration.Duration()) + ")"
}

// whoDied is with whom an attempt was lost.
func whoDied(o *loop.Outcome) string {
	if o.Error != nil && o.Error.Kind == loop.ErrKeeper {
		return "the process that looks after the agent was ended"
	}
	return "the runner died"
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
	if o.Error == nil || o.Error.ByExit {
		return ""
	}
	said := strings.TrimPrefix(text.Line(o.Error.Message), exit(o.Exit)+": ")
	switch {
	case said == "" && o.Error.Kind == loop.ErrAgent, said == exit(o.Exit):
		return ""
	case said == "":
		return text.Words(string(o.Error.Kind))
	}
	return said
}

// because puts a complaint behind what it explains.
func because(complaint string) string {
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
		return "the provider is unavailable" + because(complaint(o))
	case o.Result == loop.Failed && o.Error.Kind == loop.ErrAuth:
		return text.Line(o.Agent) + " is not signed in" + because(complaint(o))
	case o.Result == loop.Failed && o.Error.Kind == loop.ErrBilling:
		return text.Line(o.Agent) + " has no credit left" + because(complaint(o))
	case o.Result == loop.Failed:
		return text.Line(o.Agent) + " cannot work" + because(complaint(o))
	case o.Limit == nil:
		return "usage limit" + because(complaint(o))
	}
	said := UsageLimit(o.Limit)
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

// FewNames is how many are named in a line: a test that broke is worth its name, a
// hundred of them are worth three.
const FewNames = 3

// judged tells what the runner itself found in an attempt, and how that counts.
// before is the state in which the attempt began.
func judged(words vocabulary, before loop.State, p *loop.IterationFinished, limits loop.Limits) []Fact {
	o := &p.Outcome
	var facts []Fact
	switch red, known := redGates(o); {
	case len(red) > 0:
		counted := better(before, o) + ", " + redStreak(p, limits)
		facts = one(Warning, "WARNING: %s failed: %s%s", words.gates, strings.Join(red, "; "), counted)
		facts[0].Brief = fmt.Sprintf("WARNING: %s failed%s", words.gates, counted)
	case o.Claim.Refused() && o.Claim.Lacks != "":
		facts = one(Warning, "WARNING: Claim of done lacks evidence, %s", redStreak(p, limits))
	case o.Claim.Refused():
		// Why it was refused has been told when it was.
		facts = one(Warning, "WARNING: Claim of done was untrue, %s", redStreak(p, limits))
	case len(known) > 0:
		counted := better(before, o) + testStreak(before, p, limits)
		facts = one(Info, "%s still red: %s%s", words.gates, strings.Join(known, "; "), counted)
		facts[0].Brief = words.gates + " still red" + counted
	case testStreak(before, p, limits) != "":
		facts = one(Warning, "WARNING: Tests failed: %d of %s%s", o.Tests.Failed, text.Plural(o.Tests.Passed+o.Tests.Failed, "test"), testStreak(before, p, limits))
	}
	taken := ClaimProof(o)
	if taken != nil && p.State.Confirmed > 0 && p.Verdict.Action != loop.Stop {
		facts = append(facts, one(Info, "Claim %s, and to be confirmed (%d in a row so far)", levelOf(taken), p.State.Confirmed)...)
	}
	if taken != nil && len(o.Pinned) > 0 {
		facts = append(facts, one(Warning, "WARNING: Pinned files were changed, and judged as they were when the run began: %s", Names(o.Pinned, FewNames))...)
	}
	return append(facts, turned(o)...)
}

// levelOf is what became of a claim that was taken.
func levelOf(p *loop.Proof) string {
	if p.Level == loop.LevelProven {
		return "proven"
	}
	return "taken (" + LevelWords(p.Level) + ")"
}

// redGates lists the gates that failed, apart from those that were red before
// the first iteration and are no worse.
func redGates(o *loop.Outcome) (red, known []string) {
	for _, g := range o.Gates {
		said := text.Line(g.Name)
		if why := text.Line(g.Why); why != "" {
			said += " (" + why + ")"
		}
		switch {
		case g.OK:
		case g.Known:
			known = append(known, said)
		default:
			red = append(red, said)
		}
	}
	return red, known
}

// better says by how much tests that still fail are better than ever before.
func better(before loop.State, o *loop.Outcome) string {
	best, t := before.Best, o.Tests
	switch {
	case best == nil || !before.Better(t):
		return ""
	case t.Failed < best.Failed:
		return fmt.Sprintf(", %s fewer fail than ever before", text.Count(best.Failed-t.Failed))
	}
	return fmt.Sprintf(", %s more pass than ever before", text.Count(t.Passed-best.Passed))
}

// redStreak counts towards the limits that a red iteration brings nearer.
func redStreak(p *loop.IterationFinished, limits loop.Limits) string {
	red := streak("red iterations", p.State.Streaks.RedGates, limits.RedGates)
	if p.State.Counting.GatesAreFailures {
		return streak("consecutive failures", p.State.Streaks.Failures, limits.Failures) + ", " + red
	}
	return red
}

// testStreak is told when it grew.
func testStreak(before loop.State, p *loop.IterationFinished, limits loop.Limits) string {
	n := p.State.Streaks.TestFailures
	if n <= before.Streaks.TestFailures {
		return ""
	}
	return ", " + streak("consecutive test failures", n, limits.TestFailures)
}

// turned names the tests that are not what they were.
func turned(o *loop.Outcome) []Fact {
	t := o.Tests
	if t == nil {
		t = &loop.Tests{}
	}
	fixed, quiet := Fixed(o)
	var facts []Fact
	for _, turn := range []struct {
		what  string
		names []string
	}{{"Newly failing", t.NewlyFailing}, {"Fixed", fixed}, {"No longer failing", quiet}, {"Flaky", t.Flaky}} {
		if len(turn.names) > 0 {
			facts = append(facts, one(Info, "%s: %s", turn.what, Names(turn.names, FewNames))...)
		}
	}
	return facts
}
