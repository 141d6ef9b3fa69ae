package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Fact is one line worth telling: what kind of news it is, and its words. Faces
// choose and colour by the kind, never by the words.
type Fact struct {
	Kind Kind
	Text string

	// Brief is the text for who has seen what each gate said; empty where that makes no
	// difference.
	Brief string
}

// Kind says how much a fact matters.
type Kind int

// The kinds of facts.
const (
	Info    Kind = iota
	Opening      // an iteration begins
	Refusal      // something was not taken, was put back, or waits for a person
	Warning      // something went wrong, or may
	Leaving      // whether the run can be left alone, and what it leaves
	Success      // the run ended, and is done
	Failure      // the run ended, and something is to be mended
	Ending       // the run ended at a limit, or as somebody wished
)

// Ends tells whether a fact is the end of a run.
func (k Kind) Ends() bool { return k == Success || k == Failure || k == Ending }

// Narrator puts the events of a run into English. Every face that tells in words
// has one, so that all of them use the same words.
//
//	event ──► Run.Apply ──► Tell ──► facts ──► plain lines · live · full screen
//
// An iteration whose start was told is always told an end of: by its own end, by
// that of the run, or by Close.
type Narrator struct {
	run *Run
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

// NewNarrator tells of a run, which holds its past or nothing. From here on the run
// is the narrator's, who keeps it up to date.
func NewNarrator(run *Run) *Narrator { return &Narrator{run: run} }

// Run is the run as far as it was told.
func (n *Narrator) Run() *Run { return n.run }

// Tell adds an event to the run and says what a person should hear of it.
func (n *Narrator) Tell(e loop.Event) []Fact {
	before := n.run.Sum
	n.run.Apply(e)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		return n.begun(p)
	case *loop.RunResumed:
		return n.resumed(p)
	case *loop.RunBaseline:
		return baseline(p)
	case *loop.RunWaiting:
		return n.waiting(p, e.Time)
	case *loop.RunPaused:
		return one(Info, "Paused. Go on with: refrain resume %s", n.run.Name)
	case *loop.RunUnpaused:
		return n.unpaused()
	case *loop.RunRebootStarted:
		return one(Info, "Rebooting: %s", text.Line(p.Why))
	case *loop.RunRebootFinished:
		return one(Info, "Fresh session (reboot %d)", p.Reboots)
	case *loop.RunAsked:
		return asked(n.run, p, e.Time)
	case *loop.RunAnswered:
		return one(Info, "Answered by %s: %s", text.Line(p.By), text.Line(p.Answer))
	case *loop.IterationStarted:
		return n.opened(e)
	case *loop.IterationFinished:
		return n.closed(e, p, before)
	case *loop.GateStarted:
		return n.started(e)
	case *loop.HookFinished:
		return hooked(p)
	case *loop.CommitMade:
		name, subject := Commit(p)
		return one(Info, "Committed %s: %s", name, subject)
	case *loop.CheckpointRestored:
		return one(Refusal, "Rolled back to %s: %s", BackTo(p), text.Line(p.Why))
	case *loop.PlanRead:
		return read(p)
	case *loop.TestExplained:
		return one(Info, "Test changed: %s", Explained(p))
	case *loop.SandboxRefused:
		return refusedOutside(p)
	case *loop.ClaimRefused:
		return one(Refusal, "Claim refused: %s", text.Line(p.Why))
	case *loop.CommandReceived:
		return n.received(p)
	case *loop.NoteAdded:
		return one(Info, "Note added: %s", Fit(p.Text, widestNote))
	case *loop.Warning:
		return one(Warning, "WARNING: %s", withHint(p))
	case *loop.RunParked:
		return append(n.Close(), parked(n.run, p, e.Time)...)
	case *loop.RunFinished:
		return append(n.Close(), n.finished(p)...)
	}
	return nil
}

// Close tells of an iteration that the runner could not bring to its own end.
func (n *Narrator) Close() []Fact {
	if n.open == "" {
		return nil
	}
	label := n.open
	n.open = ""
	return one(Warning, "WARNING: %s ended without an outcome", label)
}

// begun tells of the start, and what the run is called.
func (n *Narrator) begun(p *loop.RunStarted) []Fact {
	words := wordsOf(n.run)
	return append(one(Info, "%s %s (%s)", words.starting, words.what(n.run), MaxIterations(p.Limits)), confined(p.Sandbox)...)
}

// waiting tells of a wait once.
func (n *Narrator) waiting(p *loop.RunWaiting, now time.Time) []Fact {
	if n.wait.Why == p.Why && n.wait.Until.Equal(p.Until) {
		return nil
	}
	n.wait = *p
	return one(Info, "Waiting %s: %s (until %s)", pause(p.For.Duration()), text.Line(p.Why), clock(p.Until, now))
}

// resumed tells of the past; the run still holds what the last runner left.
func (n *Narrator) resumed(p *loop.RunResumed) []Fact {
	limit := "unlimited"
	if p.Limits.Iterations > 0 {
		limit = fmt.Sprintf("max %d", p.Limits.Iterations)
	}
	past := n.run.Sum
	words := wordsOf(n.run)
	facts := one(Info, "%s %s from iteration %d (%s)", words.resuming, words.what(n.run), past.Next(), limit)
	facts = append(facts, one(Info, "%s: %s completed in %s",
		words.before, text.Plural(past.Totals.Iterations, "iteration"), text.Seconds(past.Live.Duration()))...)
	facts = append(facts, confined(p.Sandbox)...)
	for _, c := range p.Changed {
		facts = append(facts, one(Info, "Setting changed: %s", text.Line(fmt.Sprintf("%s from %s to %s", c.Key, set(c.Old), set(c.New))))...)
	}
	return facts
}

// started tells that the gates run before the first iteration, which may take a
// while; the baseline is the end of it.
func (n *Narrator) started(e loop.Event) []Fact {
	if e.Iter > 0 || n.baseline {
		return nil
	}
	n.baseline = true
	if n.run.Sum.Totals.Iterations > 0 {
		return one(Info, "Running the gates once more before it goes on...")
	}
	return one(Info, "Running the gates before the first iteration...")
}

// baseline tells what the gates said before the first iteration, and where claims
// are proven from now on.
func baseline(b *loop.RunBaseline) []Fact {
	var facts []Fact
	for _, g := range b.Gates {
		line := "Baseline: " + text.Line(g.Gate.Name) + " " + Gate(g.Gate)
		if clean := g.Clean; clean != nil && (g.Gate.OK != clean.OK || g.Gate.Tests != clean.Tests || g.Gate.Why != clean.Why) {
			line += "; clean checkout: " + Gate(*clean)
		}
		facts = append(facts, Fact{Kind: Info, Text: line})
	}
	if proven := ProvenWhere(b); proven != "" {
		facts = append(facts, Fact{Kind: Info, Text: proven})
	}
	return facts
}

// ProvenWhere says where claims are proven; empty when no gate judges them.
func ProvenWhere(b *loop.RunBaseline) string {
	if b.Proof == "" {
		return ""
	}
	return "Claims are proven " + Judged(b.Proof, Tied(b))
}

// hooked tells of a hook that wanted something.
func hooked(p *loop.HookFinished) []Fact {
	why := ""
	if p.Why != "" {
		why = ": " + text.Line(p.Why)
	}
	switch p.Action {
	case "skip":
		return one(Info, "Skipping iteration (hook requested)%s", why)
	case "abort":
		return one(Refusal, "The %s hook wants the run to end%s", p.Point, why)
	}
	return nil
}

// asked tells what a person is to answer, and how. Who is asked here is shown the
// answers below, and who asks for the run finds them on its card.
func asked(run *Run, p *loop.RunAsked, now time.Time) []Fact {
	said := fmt.Sprintf("Question: %s Answer with: refrain approve %s", text.Line(p.Question), run.Name)
	if !p.Until.IsZero() {
		said += fmt.Sprintf("; without an answer by %s: %s", Clock(p.Until, now), p.Default)
	}
	facts := one(Refusal, "%s", said)
	if later := RunsLater(run); later != "" {
		facts = append(facts, one(Info, "Runs later: %s", later)...)
	}
	return facts
}

// opened tells of a start, which then must be told an end of.
func (n *Narrator) opened(e loop.Event) []Fact {
	n.open = n.label(e)
	return one(Opening, "%s", strings.TrimSpace(n.open+" starting... "+circumstances(e)))
}

// label names the iteration of an event where a sentence begins.
func (n *Narrator) label(e loop.Event) string { return text.Sentence(At(e.Iter, n.run.Max())) }

// Heading is the start of an attempt as the head of what follows: "Iteration 2/5
// (attempt 2, with codex)".
func (n *Narrator) Heading(e loop.Event) string {
	return strings.TrimSpace(n.label(e) + " " + circumstances(e))
}

// circumstances are what is out of the ordinary in a start.
func circumstances(e loop.Event) string {
	var more []string
	if e.Attempt > 1 {
		more = append(more, fmt.Sprintf("attempt %d", e.Attempt))
	}
	if p, ok := e.Payload.(*loop.IterationStarted); ok && p.Agent != "" {
		more = append(more, "with "+text.Line(p.Agent))
	}
	if len(more) == 0 {
		return ""
	}
	return "(" + strings.Join(more, ", ") + ")"
}

// closed tells how the attempt ended, and then what the runner found in it.
func (n *Narrator) closed(e loop.Event, p *loop.IterationFinished, before loop.State) []Fact {
	n.open = ""
	facts := []Fact{closing(wordsOf(n.run), n.label(e), p, before, n.run.Limits, e.Time)}
	if said := complaint(&p.Outcome); said != "" && AgentFailed(&p.Outcome) && !before.HeldByProvider(p.Outcome) && p.Verdict.State != loop.CouldNotRun {
		if p.Outcome.Exit != nil { // else it never got to say anything
			said = "The agent said: " + said
		}
		facts = append(facts, Fact{Kind: Warning, Text: said})
	}
	facts = append(facts, ticked(&p.Outcome)...)
	facts = append(facts, judged(wordsOf(n.run), before, p, n.run.Limits)...)
	if before.Durations.N == 0 && p.Verdict.Action != loop.Stop {
		facts = append(facts, n.run.Leave().facts()...)
	}
	return facts
}

// finished tells of the end, and of what the disk did not take.
func (n *Narrator) finished(p *loop.RunFinished) []Fact {
	var facts []Fact
	if later := RunsLater(n.run); later != "" {
		facts = one(Leaving, "Runs later: %s", later)
	}
	kind, said := ending(n.run, p)
	facts = append(facts, Fact{Kind: kind, Text: said})
	for _, what := range p.Unsaved {
		facts = append(facts, one(Warning, "WARNING: Could not save: %s", text.Line(what))...)
	}
	return facts
}

func one(k Kind, format string, args ...any) []Fact {
	return []Fact{{Kind: k, Text: fmt.Sprintf(format, args...)}}
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

// A note is cut here: it may be as long as a letter, and its writer knows it.
const widestNote = 200

// unpaused tells that the run goes on, if that is what it does.
func (n *Narrator) unpaused() []Fact {
	if n.stopping {
		return nil
	}
	return one(Info, "Going on")
}

// received tells of a person's wish. A note and an answer are told by their own
// events.
func (n *Narrator) received(p *loop.CommandReceived) []Fact {
	switch effect := text.Line(p.Effect); {
	case p.Refused:
		return one(Refusal, "Refused %s: %s", heard(p), effect)
	case p.Command == "note", p.Command == "approve": // told by what comes of it
		return nil
	case p.Command == "raise":
		return one(Info, "Raised: %s", effect)
	default:
		n.stopping = n.stopping || p.Command == "stop"
		return one(Info, "Received %s: %s", heard(p), effect)
	}
}

func heard(p *loop.CommandReceived) string {
	if p.Signal != "" {
		return "SIG" + p.Signal
	}
	return text.Line(p.Command)
}
