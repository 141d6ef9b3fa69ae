package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// fact is one line worth telling.
type fact struct {
	kind kind
	text string
}

// kind says how much a fact matters, for outputs that leave some out.
type kind int

const (
	info kind = iota
	opening
	refusal
	warning
	leaving // whether the run can be left alone
	ending
)

// narrator turns events into facts. Every output that tells in words has one,
// so that all of them use the same words.
type narrator struct {
	run *view.Run
	// open is the iteration whose start was told and whose end was not.
	open string
	// baseline says that the first gate was told of.
	baseline bool
	// wait is the last wait that was told: a run that wakes, looks and waits on
	// for the same has nothing new to say.
	wait loop.RunWaiting
	// stopping says that a person wants the run to end.
	stopping bool
}

// tell adds an event to the run and says what a person should hear of it.
func (n *narrator) tell(e loop.Event) []fact {
	before := n.run.Sum
	n.run.Apply(e)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		return one(info, "Starting procedure: %s (%s)", text.Line(p.Procedure), most(p.Limits.Iterations))
	case *loop.RunResumed:
		return n.resumed(p)
	case *loop.RunBaseline:
		return baseline(p)
	case *loop.RunWaiting:
		return n.waiting(p, e.Time)
	case *loop.RunPaused:
		return one(info, "Paused. Go on with: refrain resume %s", n.run.Name)
	case *loop.RunUnpaused:
		return n.unpaused()
	case *loop.RunRebootStarted:
		return one(info, "Rebooting: %s", text.Line(p.Why))
	case *loop.RunRebootFinished:
		return one(info, "Fresh session (reboot %d)", p.Reboots)
	case *loop.RunAsked:
		return asked(n.run, p, e.Time)
	case *loop.RunAnswered:
		return one(info, "Answered by %s: %s", text.Line(p.By), text.Line(p.Answer))
	case *loop.IterationStarted:
		return n.opened(e)
	case *loop.IterationFinished:
		return n.closed(e, p, before)
	case *loop.GateStarted:
		return n.started(e)
	case *loop.HookFinished:
		return hooked(p)
	case *loop.CommitMade:
		return one(info, "Committed %s: %s", short(p.Commit), firstLine(p.Subject))
	case *loop.CheckpointRestored:
		return one(refusal, "Rolled back to %s: %s", iterationOf(p), text.Line(p.Why))
	case *loop.TestExplained:
		return one(info, "Test changed: %s", testChanged(p))
	case *loop.ClaimRefused:
		return one(refusal, "Claim refused: %s", text.Line(p.Why))
	case *loop.CommandReceived:
		return n.received(p)
	case *loop.NoteAdded:
		return one(info, "Note added: %s", view.Fit(p.Text, widestNote))
	case *loop.Warning:
		return one(warning, "WARNING: %s", withHint(p))
	case *loop.RunFinished:
		return append(n.abandoned(), n.finished(p)...)
	}
	return nil
}

// waiting tells of a wait once.
func (n *narrator) waiting(p *loop.RunWaiting, now time.Time) []fact {
	if n.wait.Why == p.Why && n.wait.Until.Equal(p.Until) {
		return nil
	}
	n.wait = *p
	return one(info, "Waiting %s: %s (until %s)", pause(p.For.Duration()), text.Line(p.Why), clock(p.Until, now))
}

// resumed tells of the past; the run still holds what the last runner left.
func (n *narrator) resumed(p *loop.RunResumed) []fact {
	limit := "unlimited"
	if p.Limits.Iterations > 0 {
		limit = fmt.Sprintf("max %d", p.Limits.Iterations)
	}
	past := n.run.Sum
	facts := one(info, "Resuming procedure: %s from iteration %d (%s)", text.Line(n.run.Procedure), past.Next(), limit)
	facts = append(facts, one(info, "Previous session: %s completed in %s",
		text.Plural(past.Totals.Iterations, "iteration"), text.Seconds(past.Live.Duration()))...)
	for _, c := range p.Changed {
		facts = append(facts, one(info, "Setting changed: %s", text.Line(fmt.Sprintf("%s from %s to %s", c.Key, set(c.Old), set(c.New))))...)
	}
	return facts
}

// started tells that the gates run before the first iteration, which may take a
// while; the baseline is the end of it.
func (n *narrator) started(e loop.Event) []fact {
	if e.Iter > 0 || n.baseline {
		return nil
	}
	n.baseline = true
	if n.run.Sum.Totals.Iterations > 0 {
		return one(info, "Running the gates once more before it goes on...")
	}
	return one(info, "Running the gates before the first iteration...")
}

// hooked tells of a hook that wanted something.
func hooked(p *loop.HookFinished) []fact {
	why := ""
	if p.Why != "" {
		why = ": " + text.Line(p.Why)
	}
	switch p.Action {
	case "skip":
		return one(info, "Skipping iteration (hook requested)%s", why)
	case "abort":
		return one(refusal, "The %s hook wants the run to end%s", p.Point, why)
	}
	return nil
}

// asked tells what a person is to answer, and how.
func asked(run *view.Run, p *loop.RunAsked, now time.Time) []fact {
	text := fmt.Sprintf("Question: %s (%s; refrain approve %s ANSWER)", text.Line(p.Question), strings.Join(p.Choices, ", "), run.Name)
	if !p.Until.IsZero() {
		text += fmt.Sprintf(", or %s at %s", p.Default, view.Clock(p.Until, now))
	}
	return one(refusal, "%s", text)
}

// opened tells of a start, which then must be told an end of.
func (n *narrator) opened(e loop.Event) []fact {
	n.open = n.label(e.Iter)
	var more []string
	if e.Attempt > 1 {
		more = append(more, fmt.Sprintf("attempt %d", e.Attempt))
	}
	if p, ok := e.Payload.(*loop.IterationStarted); ok && p.Agent != "" {
		more = append(more, "with "+text.Line(p.Agent))
	}
	if len(more) > 0 {
		return one(opening, "%s starting... (%s)", n.open, strings.Join(more, ", "))
	}
	return one(opening, "%s starting...", n.open)
}

// closed tells how the attempt ended, and then what the runner found in it.
func (n *narrator) closed(e loop.Event, p *loop.IterationFinished, before loop.State) []fact {
	n.open = ""
	facts := []fact{closing(n.label(e.Iter), p, before, n.run.Limits, e.Time)}
	if said := complaint(&p.Outcome); said != "" && view.AgentFailed(&p.Outcome) && !before.TurnedAway(p.Outcome) && p.Verdict.State != loop.CouldNotRun {
		if p.Outcome.Exit != nil { // else it never got to say anything
			said = "The agent said: " + said
		}
		facts = append(facts, fact{warning, said})
	}
	facts = append(facts, judged(before, p, n.run.Limits)...)
	if before.Durations.N == 0 && p.Verdict.Action != loop.Stop {
		facts = append(facts, leave(n.run.Leave())...)
	}
	return facts
}

// abandoned ends an iteration that the runner could not bring to its own end.
func (n *narrator) abandoned() []fact {
	if n.open == "" {
		return nil
	}
	label := n.open
	n.open = ""
	return one(warning, "WARNING: %s ended without an outcome", label)
}

// finished tells of the end, and of what the disk did not take.
func (n *narrator) finished(p *loop.RunFinished) []fact {
	facts := one(ending, "%s", end(n.run, p))
	for _, what := range p.Unsaved {
		facts = append(facts, one(warning, "WARNING: Could not save: %s", text.Line(what))...)
	}
	return facts
}

// label names an iteration: "Iteration 2/5", or "Iteration 2" without a limit.
func (n *narrator) label(iteration int) string {
	if limit := n.run.Max(); limit > 0 {
		return fmt.Sprintf("Iteration %d/%d", iteration, limit)
	}
	return fmt.Sprintf("Iteration %d", iteration)
}

func one(k kind, format string, args ...any) []fact {
	return []fact{{k, fmt.Sprintf(format, args...)}}
}

func most(iterations int) string {
	if iterations == 0 {
		return "unlimited iterations"
	}
	return "max " + text.Plural(iterations, "iteration")
}

func withHint(p *loop.Warning) string {
	if p.Hint == "" {
		return text.Line(p.Text)
	}
	return text.Line(p.Text) + " (hint: " + text.Line(p.Hint) + ")"
}

// set is a value, or that there was none.
func set(value string) string {
	if value == "" {
		return "(not set)"
	}
	return value
}

// short is as much of a commit's name as people use.
func short(commit string) string { return text.Cut(text.Line(commit), 7) }

func firstLine(said string) string {
	first, _, _ := strings.Cut(said, "\n")
	return text.Line(first)
}

// iterationOf names the iteration that a tree was put back to.
func iterationOf(p *loop.CheckpointRestored) string {
	switch {
	case p.Iteration == nil:
		return "an earlier checkpoint"
	case *p.Iteration == 0:
		return "before the first iteration"
	}
	return fmt.Sprintf("iteration %d", *p.Iteration)
}

// pause is the length of a wait; only the short ones need their tenths.
func pause(d time.Duration) string {
	if d < time.Second {
		return text.Duration(d)
	}
	return text.Seconds(d)
}

// clock is a time of day, with its date when that is not today's.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
