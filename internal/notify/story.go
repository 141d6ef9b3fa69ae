package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// story follows a run and finds what is worth a message.
type story struct {
	run, id, procedure, dir string
	waitingAfter            time.Duration

	totals loop.Totals
	plan   *loop.Tally
	live   time.Duration // at the time at
	at     time.Time     // zero while the live time is not known
	place  loop.Place    // where claims are judged

	sandbox *loop.Sandbox // of the runner that tells

	need      string    // what the last attempt needs a person for
	signedOut bool      // it was told that the agent is signed out
	held      time.Time // when the present wait began; zero is none
	heldTold  bool
}

// add takes an event in, and gives the message that it makes, if any.
func (s *story) add(e loop.Event) (Message, bool) {
	if e.Run != "" {
		s.id = e.Run
	}
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		s.run, s.procedure, s.at, s.sandbox = p.Name, p.Procedure, e.Time, p.Sandbox
		if p.Dir != "" {
			s.dir = p.Dir
		}
	case *loop.RunResumed:
		s.sandbox = p.Sandbox
	case *loop.RunBaseline:
		s.place = p.Proof
	case *loop.RunWaiting:
		return s.waiting(e, p)
	case *loop.RunAsked:
		return s.message(e, Person, loop.Waiting, p.Question, "answer with: refrain approve "+s.run), true
	case *loop.IterationFinished:
		return s.attempt(e, p)
	case *loop.Warning:
		if strings.HasPrefix(p.Key, loop.BudgetKey) {
			return s.message(e, Budget, loop.Running, p.Text, p.Hint), true
		}
	case *loop.RunFinished:
		return s.end(e, p), true
	}
	return Message{}, false
}

// byWish is the rule of the pause between iterations that the user asked for:
// it is no news, however long.
const byWish = loop.RuleDelay

// waiting tells of a long wait, once. Waits with nothing but attempts that were
// turned away between them are one: an outage is waited out in many short ones.
func (s *story) waiting(e loop.Event, p *loop.RunWaiting) (Message, bool) {
	if p.Rule == byWish {
		return Message{}, false
	}
	if s.held.IsZero() {
		s.held, s.heldTold = e.Time, false
	}
	if s.heldTold || p.Until.Sub(s.held) <= s.waitingAfter {
		return Message{}, false
	}
	s.heldTold = true
	return s.message(e, Waiting, loop.Waiting, p.Why, untilWords(p.Until, e.Time)), true
}

// attempt tells what a person has to settle while the run goes on. When the run
// ends with this attempt, its end says it.
func (s *story) attempt(e loop.Event, p *loop.IterationFinished) (Message, bool) {
	s.totals, s.live, s.at, s.place = p.State.Totals, p.State.Live.Duration(), e.Time, p.State.Proof
	s.plan = p.State.Tasks.Plan
	if r := p.Outcome.Result; r != loop.Limited && r != loop.Unavailable {
		s.held = time.Time{}
	}
	if p.Outcome.Result == loop.OK {
		s.signedOut = false
	}

	signedOut := p.Outcome.Error != nil && p.Outcome.Error.Kind == loop.ErrAuth
	next := ""
	switch {
	case p.Outcome.Person != "":
		s.need = p.Outcome.Person
	case signedOut:
		s.need, next = "the agent is not signed in: "+p.Outcome.Error.Message, "Sign in again: the run tries on by itself."
	case p.Verdict.Reason == loop.ByBlocked:
		s.need = p.Verdict.Why
	default:
		s.need = ""
	}
	s.need = text.Shorten(cleanText(s.need), maxWhy/2)
	if s.need == "" || p.Verdict.Action == loop.Stop || signedOut && s.signedOut {
		return Message{}, false
	}
	s.signedOut = s.signedOut || signedOut
	m := s.message(e, Person, loop.Running, s.need, next)
	m.Urgent = true
	return m, true
}

func (s *story) end(e loop.Event, p *loop.RunFinished) Message {
	s.totals, s.live, s.at = p.Totals, p.Elapsed.Duration(), e.Time
	m := s.message(e, Kind(p.State), p.State, p.Why, "")
	proof := view.ProofOf(p, s.place)
	m.Reason, m.Level, m.Proven = p.Reason, view.Level(proof), view.Level(proof) == loop.LevelProven
	if proof != nil {
		m.LevelWhy = text.Shorten(cleanText(proof.Why), maxWhy)
	}
	switch {
	case p.State == loop.Done, p.State == loop.Stopped: // nothing is needed any more, or the person is there
	case s.need != "", p.Reason == loop.ByBlocked, p.Reason == loop.ByNotSignedIn:
		m.Urgent = true
	}
	m.Title, m.Text = endWords(m, proof, s.need, s.confined(m))
	return m
}

// confined is which sandbox the run has, and what that has refused so far.
func (s *story) confined(m Message) string {
	if m.Sandbox == "" {
		return ""
	}
	said := "sandbox: " + m.Sandbox
	if refused := view.SandboxRefused(s.totals.FencedOff); refused != "" {
		said += "; refused: " + refused
	}
	return said
}

// message is a message of the run as it stands.
func (s *story) message(e loop.Event, kind Kind, state loop.Status, why, next string) Message {
	m := Message{
		Kind: kind, State: state, Why: text.Shorten(cleanText(why), maxWhy), At: e.Time,
		Run: s.run, RunID: s.id, Procedure: s.procedure, Dir: s.dir,
		Iterations: s.totals.Iterations, Plan: s.plan, CostUSD: s.totals.CostUSD, CostEstimated: s.totals.CostEstimated,
		Sandbox: text.Shorten(view.Sandbox(s.sandbox), maxWhy),
	}
	if !s.at.IsZero() {
		m.Elapsed = loop.Millis(s.live + max(0, e.Time.Sub(s.at)))
	}
	m.Title = title(m, verbs[kind])
	m.Text = paragraphs(m.Why, cleanText(next), tally(m), s.confined(m))
	return m
}

// verbs say what the run does, or did.
var verbs = map[Kind]string{
	Done:      "is done",
	Exhausted: "is exhausted",
	Aborted:   "was aborted",
	Stopped:   "was stopped",
	Failed:    "failed",
	Waiting:   "is waiting",
	Person:    "needs a person",
	Budget:    "has nearly used up its budget",
}

// title is one line that can stand alone.
func title(m Message, verb string) string {
	return "refrain: " + text.Shorten(cleanLine(cmp.Or(m.Run, "the run")), maxTitle/2) + " " + verb
}

// endWords are the title and the text of a run's end: what happened, then what
// to do. need is what a person is needed for, and confined says by what the run was.
func endWords(m Message, proof *loop.Proof, need, confined string) (string, string) {
	verb, next := verbs[m.Kind], "Go on with: refrain resume "
	switch {
	case m.Kind == Done:
		verb = "is " + view.People(loop.Done, m.Level)
	case m.Urgent:
		verb += " and needs a person"
	}
	switch m.Kind {
	case Done:
		next = "Look at it with: refrain show "
	case Exhausted:
		next = "Go on with a higher limit: refrain resume "
	}
	if !m.Urgent || strings.Contains(m.Why, need) {
		need = ""
	}
	if m.Run == "" {
		next = ""
	}
	return title(m, verb), paragraphs(m.Why, backing(m, proof), need, tally(m), confined, next+cleanLine(m.Run))
}

// backing is what stands behind a run that is done, where that is less than a
// proof in a clean checkout: what is missing, or the changed tests. What the cause of the end says already is left out.
func backing(m Message, proof *loop.Proof) string {
	var lines []string
	switch {
	case proof == nil:
	case proof.Level == loop.LevelProven && proof.Place == loop.InWorkspace:
		lines = []string{view.Standing(proof, m.Reason)}
	case proof.Level == loop.LevelProven:
	case proof.Level == loop.LevelTestsChanged:
		lines = append([]string{"changed tests:"}, view.ChangedTests(proof)...)
	case !strings.Contains(m.Why, m.LevelWhy):
		lines = []string{m.LevelWhy}
	}
	return text.Shorten(cleanText(paragraphs(lines...)), maxText/2)
}

// tally is what the run has come to so far.
func tally(m Message) string {
	said := text.Plural(m.Iterations, "iteration")
	if m.Elapsed > 0 {
		said += " in " + text.Seconds(m.Elapsed.Duration())
	}
	if m.Plan != nil {
		said += ", " + view.TasksDone(*m.Plan)
	}
	if m.CostUSD > 0 {
		said += ", " + view.Dollars(m.CostUSD, m.CostEstimated)
	}
	if m.Dir != "" {
		said += ", in " + cleanLine(m.Dir)
	}
	return said
}

// untilWords say when a wait is over, by the clock of the person.
func untilWords(until, now time.Time) string {
	left := until.Sub(now)
	layout := "15:04"
	if left > 12*time.Hour {
		layout = "Mon 15:04"
	}
	return fmt.Sprintf("It goes on by itself at %s, in %s.", until.Local().Format(layout), text.Seconds(left))
}

// paragraphs puts each text that says anything on a line of its own.
func paragraphs(texts ...string) string {
	var lines []string
	for _, text := range texts {
		if text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}
