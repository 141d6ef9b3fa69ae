package view

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Step is a command to type after looking at a run, and what it is for.
type Step struct{ Command, For string }

// Next is what to type after looking at the run: to take the work, to go on, or
// to see more.
func (r *Run) Next() []Step {
	if r.State == "" {
		return nil
	}
	var steps []Step
	if r.Tree != "" {
		steps = append(steps, Step{"cd " + shell(r.Tree), "the run's own work tree"})
	}
	resume, show, approve := r.Typed("resume"), Step{r.Typed("show"), "how it went"}, r.Typed("approve")
	if r.Asked != nil && r.Asked.Choices[0] == "done" {
		return append(steps, Step{approve, "it is done"}, Step{approve + " continue", "go on with the work"})
	}
	if r.Asked != nil {
		return append(steps, Step{approve, "go on"}, Step{approve + " stop", "end it"})
	}
	if r.Away != nil && (r.Away.Over || r.State.Ended()) {
		return append(steps, r.Away.next(r)...)
	}
	if r.Carried != "" && r.State != loop.Done {
		return append(steps, Step{r.Back, "bring it back"}, show)
	}
	switch r.State {
	case loop.Done:
		if r.Procedure == "plan" {
			steps = append(steps, Step{"refrain build", "do the plan"})
		}
		return append(append(steps, take(r)...), show)
	case loop.Exhausted:
		if r.Reason() == loop.ByTime && len(r.Sum.ProviderHolds) > 0 {
			return append(steps, Step{resume + r.Raised() + " --now", "when its provider is back"}, show)
		}
		return append(steps, Step{resume + r.Raised(), "go on"}, show)
	case loop.Aborted:
		return append(steps, Step{last(r), "what went wrong"}, Step{resume, "try again"})
	case loop.CouldNotRun:
		return append(steps, Step{resume, "when it is mended"}, show)
	case loop.Stopped, loop.Parked, loop.Crashed:
		return append(steps, Step{resume, "go on"}, show)
	case loop.Waiting:
		return append(steps, Step{resume, "wait no longer"}, Step{r.Typed("stop"), "give up"})
	case loop.Paused:
		return append(steps, Step{resume, "go on"}, Step{r.Typed("stop"), "give up"})
	}
	return append(steps, Step{r.Typed("logs -f"), "watch it"})
}

// Typed is what people type to do something with the run.
func (r *Run) Typed(verb string) string {
	if r.Away != nil {
		return "refrain fleet " + verb + " " + shell(r.Away.Called)
	}
	return "refrain " + verb + " " + r.Name
}

// take is how to get at the work of a run that is done.
func take(r *Run) []Step {
	var steps []Step
	if f := r.Changed(); f.Files > 0 || f.Commits > 0 {
		steps = append(steps, Step{"refrain review " + r.Name, "look through it, commit it"})
	}
	if r.Branch != "" && r.Sum.Totals.Commits > 0 {
		steps = append(steps, Step{"git merge " + shell(r.Branch), "take it, on your own branch"})
	}
	return steps
}

// last is how to see the last iteration in full.
func last(r *Run) string {
	if r.Outcome == nil {
		return r.Typed("show")
	}
	return fmt.Sprintf("refrain show %s/%d", r.Name, r.Iteration)
}

// Raised is the flag that lets an exhausted run go on, with twice the limit as
// a suggestion, where that is known: a resume under the same limit would only end
// again.
func (r *Run) Raised() string {
	switch limits := r.Limits; r.Reason() {
	case loop.ByIterations:
		return fmt.Sprintf(" -n %d", 2*limits.Iterations)
	case loop.ByTime:
		return fmt.Sprintf(" --max-time %s", text.Seconds(2*limits.Time.Duration()))
	case loop.ByCost:
		return fmt.Sprintf(" --max-cost %.2f", 2*limits.CostUSD)
	case loop.ByTokens:
		return fmt.Sprintf(" --max-tokens %d", 2*limits.Tokens)
	}
	return strings.TrimSuffix(" "+stop.Raise(r.Reason()), " ")
}

// shell writes a word so that a shell takes it as it is.
func shell(word string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,@%=:", r))
	}
	if word != "" && !strings.ContainsFunc(word, odd) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
