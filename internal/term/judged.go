package term

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// A test that broke is worth its name; a hundred of them are worth three.
const fewNames = 3

// judged tells what the runner itself found in an attempt, and how that counts.
// before is the state in which the attempt began.
func judged(before loop.State, p *loop.IterationFinished, limits loop.Limits) []fact {
	o := &p.Outcome
	var facts []fact
	switch red, known := redGates(o); {
	case red != "":
		facts = one(warning, "WARNING: Quality gates failed: %s%s, %s", red, better(before, o), redStreak(p, limits))
	case o.Claim.Refused() && o.Claim.Lacks != "":
		facts = one(warning, "WARNING: Claim of done lacks evidence, %s", redStreak(p, limits))
	case o.Claim.Refused():
		// Why it was refused has been told when it was.
		facts = one(warning, "WARNING: Claim of done was untrue, %s", redStreak(p, limits))
	case known != "":
		facts = one(info, "Quality gates still red: %s%s%s", known, better(before, o), testStreak(before, p, limits))
	case testStreak(before, p, limits) != "":
		facts = one(warning, "WARNING: Tests failed: %d of %s%s", o.Tests.Failed, text.Plural(o.Tests.Passed+o.Tests.Failed, "test"), testStreak(before, p, limits))
	}
	taken := view.ClaimProof(o)
	if taken != nil && p.State.Confirmed > 0 && p.Verdict.Action != loop.Stop {
		facts = append(facts, one(info, "Claim %s, and to be confirmed (%d in a row so far)", levelOf(taken), p.State.Confirmed)...)
	}
	if taken != nil && len(o.Pinned) > 0 {
		facts = append(facts, one(warning, "WARNING: Pinned files were changed, and judged as they were when the run began: %s", view.Names(o.Pinned, fewNames))...)
	}
	return append(facts, turned(o)...)
}

// levelOf is what became of a claim that was taken.
func levelOf(p *loop.Proof) string {
	if p.Level == loop.LevelProven {
		return "proven"
	}
	return "taken (" + view.LevelWords(p.Level) + ")"
}

// testChanged is the agent's reason for a test that it changed.
func testChanged(p *loop.TestExplained) string {
	return view.Fit(p.Name, widestNote) + ": " + view.Fit(p.Why, widestNote)
}

// redGates lists the gates that failed, apart from those that were red before
// the first iteration and are no worse.
func redGates(o *loop.Outcome) (red, known string) {
	var reds, knowns []string
	for _, g := range o.Gates {
		said := text.Line(g.Name)
		if g.Why != "" {
			said += " (" + text.Line(g.Why) + ")"
		}
		switch {
		case g.OK:
		case g.Known:
			knowns = append(knowns, said)
		default:
			reds = append(reds, said)
		}
	}
	return strings.Join(reds, "; "), strings.Join(knowns, "; ")
}

// better says by how much tests that still fail are better than ever before.
func better(before loop.State, o *loop.Outcome) string {
	best, t := before.Best, o.Tests
	switch {
	case best == nil || !before.Better(t):
		return ""
	case t.Failed < best.Failed:
		return fmt.Sprintf(", %s fewer fail than at the best", text.Count(best.Failed-t.Failed))
	}
	return fmt.Sprintf(", %s more pass than at the best", text.Count(t.Passed-best.Passed))
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
func turned(o *loop.Outcome) []fact {
	t := o.Tests
	if t == nil {
		t = &loop.Tests{}
	}
	fixed, quiet := view.Fixed(o)
	var facts []fact
	for _, turn := range []struct {
		what  string
		names []string
	}{{"Newly failing", t.NewlyFailing}, {"Fixed", fixed}, {"No longer failing", quiet}, {"Flaky", t.Flaky}} {
		if len(turn.names) > 0 {
			facts = append(facts, one(info, "%s: %s", turn.what, view.Names(turn.names, fewNames))...)
		}
	}
	return facts
}
