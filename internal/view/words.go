package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// People says in everyday words what a run is, and how much stands behind one
// that is done.
func People(s loop.Status, level loop.Level) string {
	switch s {
	case loop.Done:
		return "done, " + LevelWords(level)
	case loop.Exhausted:
		return "hit the limit"
	case loop.Aborted:
		return "gave up"
	case loop.Stopped:
		return "you stopped it"
	case loop.CouldNotRun:
		return "could not run"
	case loop.Crashed:
		return "died"
	}
	return string(s)
}

// Clock is the local time of day to the minute, with its date when it is not
// the next time that a clock shows this.
func Clock(t, now time.Time) string {
	if next := t.Sub(now); next >= 0 && next < 24*time.Hour {
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Dollars is a sum of money, marked when it was worked out and not told.
func Dollars(usd float64, estimated bool) string {
	said := fmt.Sprintf("$%.2f", usd)
	if usd > 0 && usd < 0.005 {
		return "under $0.01"
	}
	if estimated {
		return "≈" + said
	}
	return said
}

// Billed says who pays, empty when it is not known.
func Billed(to string) string {
	switch to {
	case "api_key":
		return "your API key"
	case "subscription":
		return "your subscription"
	}
	return text.Line(to)
}

// Each says how long iterations took, and how far apart they lay.
func Each(s Spread) string {
	mean := text.Duration(time.Duration(s.Mean * float64(time.Millisecond)))
	if s.N < 2 {
		return mean
	}
	return mean + " ± " + text.Duration(time.Duration(s.Deviation*float64(time.Millisecond)))
}

// label names an iteration where a sentence begins: "Iteration 2/5", or "Iteration
// 2" without a limit.
func (r *Run) label(iteration int) string {
	if limit := r.Max(); limit > 0 {
		return fmt.Sprintf("Iteration %d/%d", iteration, limit)
	}
	return fmt.Sprintf("Iteration %d", iteration)
}

// MaxIterations is how many iterations a run may have: "max 5 iterations".
func MaxIterations(l loop.Limits) string {
	if l.Iterations == 0 {
		return "unlimited iterations"
	}
	return "max " + text.Plural(l.Iterations, "iteration")
}

// Commit is as much of a commit's name as people use, and what it says it is.
func Commit(p *loop.CommitMade) (name, subject string) {
	first, _, _ := strings.Cut(p.Subject, "\n")
	return text.Cut(text.Line(p.Commit), 7), text.Line(first)
}

// BackTo names the iteration that a tree was put back to.
func BackTo(p *loop.CheckpointRestored) string {
	switch {
	case p.Iteration == nil:
		return "an earlier checkpoint"
	case *p.Iteration == 0:
		return "before the first iteration"
	}
	return fmt.Sprintf("iteration %d", *p.Iteration)
}

// Explained is the agent's reason for a test that it changed.
func Explained(p *loop.TestExplained) string {
	return Fit(p.Name, widestNote) + ": " + Fit(p.Why, widestNote)
}
