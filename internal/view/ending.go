package view

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// ending is the line that closes a run: the rule that ended it, and its evidence.
func ending(run *Run, f *loop.RunFinished) (Kind, string) {
	total := text.Seconds(f.Elapsed.Duration())
	iterations := text.Plural(f.Totals.Iterations, "iteration")
	soFar := fmt.Sprintf("(%s completed, total: %s)", iterations, total)
	why := text.Line(f.Why)
	switch streaks := run.Sum.Streaks; f.Reason {
	case loop.ByIterations:
		return Ending, fmt.Sprintf("Reached max iterations: %d (total: %s)", run.Max(), total)
	case loop.ByFailures:
		return Failure, fmt.Sprintf("ERROR: Aborting after %s %s", text.Plural(streaks.Failures, "consecutive failure"), soFar)
	case loop.ByRedGates:
		return Failure, noBetter(streaks.RedGates, redBy(run.Outcome), soFar)
	case loop.ByTestFailures:
		return Failure, noBetter(streaks.TestFailures, "failing tests", soFar)
	}
	switch f.State {
	case loop.Done:
		return Success, fmt.Sprintf("Done: %s (%s) after %s (total: %s)", achieved(run, f), Standing(ProofOf(f, run.Sum.Proof), f.Reason), iterations, total)
	case loop.Exhausted:
		return Ending, fmt.Sprintf("Reached max %s: %s %s", f.Reason, why, soFar)
	case loop.Stopped:
		return Ending, interrupted(run, f)
	case loop.CouldNotRun:
		return Failure, fmt.Sprintf("ERROR: Could not run (%s): %s %s", f.Reason, why, soFar)
	}
	return Failure, fmt.Sprintf("ERROR: Aborting (%s): %s %s", f.Reason, why, soFar)
}

// noBetter ends a run that stays red. One that gets better goes on.
func noBetter(n int, with, soFar string) string {
	return fmt.Sprintf("ERROR: Aborting after %s with %s, and test results did not get better %s", text.Plural(n, "iteration"), with, soFar)
}

// redBy is what made the last iteration a red one.
func redBy(o *loop.Outcome) string {
	if o != nil && !o.Red() && o.Claim.Refused() {
		return "refused claims"
	}
	return "red gates"
}

// achieved is what makes a run done.
func achieved(run *Run, f *loop.RunFinished) string {
	switch f.Reason {
	case loop.ByPromise:
		promise := run.Promise
		if run.Outcome != nil && run.Outcome.Claim != nil {
			promise = run.Outcome.Claim.Text // as it was heard: a resume may have changed the promise
		}
		return fmt.Sprintf("promise %q found", text.Line(promise))
	case loop.ByPlan:
		return "every task of the plan is done"
	case loop.ByGates:
		return "all gates pass"
	case loop.ByExitZero:
		return "the command exited with status 0"
	}
	return text.Line(f.Why)
}

func interrupted(run *Run, f *loop.RunFinished) string {
	saved := "State saved."
	if len(f.Unsaved) > 0 {
		saved = "Not everything could be saved."
	}
	return fmt.Sprintf("Interrupted. %s Resume with: refrain resume %s", saved, run.Name)
}

// parked is the line of a run that its runner has left, and how to go on.
func parked(run *Run, p *loop.RunParked, now time.Time) []Fact {
	until := ""
	if !p.Until.IsZero() {
		until = fmt.Sprintf(", and waits until %s", clock(p.Until, now))
	}
	return one(Ending, "Parked: %s%s. Go on with: refrain resume %s", text.Line(p.Why), until, run.Name)
}
