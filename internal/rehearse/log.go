package rehearse

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Moment is one thing of note in a rehearsal.
type Moment struct {
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration,omitempty"`
	Text      string    `json:"text"`
}

// log looks on at a rehearsal: what it tells people, and what is checked in the
// end.
type log struct {
	zone   *time.Location
	limits config.Loop
	tell   func(Moment) // nil: nobody

	mu       sync.Mutex
	moments  []Moment
	attempts []attempt
	crashes  []time.Time
	resumed  int
	full     []time.Time // when the disk filled up
	unsaved  []time.Time // when people were told that something was not saved
	gaveUp   string      // why the rehearsal was broken off
}

// attempt is one attempt as the log saw it.
type attempt struct {
	iteration, attempt int
	began, ended       time.Time
	finished           *loop.IterationFinished // nil: its runner died
}

func newLog(zone *time.Location, c config.Config, tell func(Moment)) *log {
	return &log{zone: zone, limits: c.Loop, tell: tell}
}

// add notes something.
func (d *log) add(at time.Time, iteration int, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addLocked(at, iteration, text)
}

func (d *log) addLocked(at time.Time, iteration int, text string) {
	m := Moment{Time: at.In(d.zone), Iteration: iteration, Text: text}
	d.moments = append(d.moments, m)
	if d.tell != nil {
		d.tell(m)
	}
}

func (d *log) crashed(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.crashes = append(d.crashes, at)
	d.addLocked(at, 0, "the runner dies, with the agent")
}

func (d *log) filled(at time.Time, lasts time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = append(d.full, at)
	d.addLocked(at, 0, "the disk is full, for "+briefly(lasts))
}

// Observe notes an event, if it is one of note.
func (d *log) Observe(e loop.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch p := e.Payload.(type) {
	case *loop.IterationStarted:
		d.attempts = append(d.attempts, attempt{iteration: e.Iter, attempt: e.Attempt, began: e.Time})
	case *loop.IterationFinished:
		d.finish(e, p)
	case *loop.RunResumed:
		d.resumed++
	case *loop.Warning:
		if p.Key == loop.UnsavedKey {
			d.unsaved = append(d.unsaved, e.Time)
		}
	}
	if text := d.words(e); text != "" {
		d.addLocked(e.Time, e.Iter, text)
	}
}

// finish closes the attempt that has begun, or one that an earlier runner began.
func (d *log) finish(e loop.Event, p *loop.IterationFinished) {
	for i := len(d.attempts) - 1; i >= 0; i-- {
		if a := &d.attempts[i]; a.iteration == e.Iter && a.attempt == e.Attempt && a.finished == nil {
			a.ended, a.finished = e.Time, p
			return
		}
	}
	d.attempts = append(d.attempts, attempt{iteration: e.Iter, attempt: e.Attempt, began: e.Time, ended: e.Time, finished: p})
}

// shortWait is a pause that is not worth a line.
const shortWait = time.Minute

// words is the line for an event, empty for one that is not of note.
func (d *log) words(e loop.Event) string {
	switch p := e.Payload.(type) {
	case *loop.RunResumed:
		return "another runner goes on from the journal"
	case *loop.RunBaseline:
		return "before the first iteration: " + baselineWords(p)
	case *loop.IterationFinished:
		return d.ended(e.Iter, p)
	case *loop.RunWaiting:
		if p.Agent == "" && p.For.Duration() < shortWait {
			return ""
		}
		return fmt.Sprintf("waits %s, until %s: %s", briefly(p.For.Duration()), d.clock(p.Until, e.Time), text.Line(p.Why))
	case *loop.RunRebootStarted:
		return "the next session is a fresh one: " + text.Line(p.Why)
	case *loop.CheckpointRestored:
		return "the files are put back: " + text.Line(p.Why)
	case *loop.ClaimRefused:
		if p.NearMiss {
			return fmt.Sprintf("iteration %d nearly claims to be done: %s", e.Iter, text.Line(p.Why))
		}
	case *loop.Warning:
		return "warning: " + text.Line(p.Text)
	case *loop.RunFinished:
		return fmt.Sprintf("the run ends: %s (%s)", view.People(p.State, p.Level()), text.Line(p.Why))
	}
	return ""
}

func baselineWords(b *loop.RunBaseline) string {
	var red []string
	for _, g := range b.Gates {
		if !g.Gate.OK {
			red = append(red, fmt.Sprintf("gate %s %s", text.Line(g.Gate.Name), view.Gate(g.Gate)))
		}
	}
	if len(red) == 0 {
		return "every gate passes"
	}
	return strings.Join(red, ", ")
}

// ended is how an attempt ended.
func (d *log) ended(iteration int, p *loop.IterationFinished) string {
	o := &p.Outcome
	name, took := fmt.Sprintf("iteration %d", iteration), briefly(o.Duration.Duration())
	switch o.Result {
	case loop.Idle:
		return fmt.Sprintf("%s hung; ended after %s of silence", name, briefly(d.limits.IdleTimeout))
	case loop.TimedOut:
		return fmt.Sprintf("%s took too long; ended after %s", name, took)
	case loop.Limited:
		return fmt.Sprintf("%s was turned away: %s; it does not count", name, d.limit(o))
	case loop.Unavailable:
		return fmt.Sprintf("%s was turned away: %s; it does not count", name, complaint(o, "the provider is unavailable"))
	case loop.Lost:
		return name + " was lost with its runner; it does not count"
	case loop.Skipped:
		return name + " was skipped"
	case loop.Interrupted:
		return fmt.Sprintf("%s was interrupted after %s; it does not count", name, took)
	}
	if view.AgentFailed(o) {
		return fmt.Sprintf("%s failed after %s: %s", name, took, complaint(o, "the agent failed"))
	}
	return name + judgedWords(o, took)
}

// judgedWords is what became of the work of an agent that ended well.
func judgedWords(o *loop.Outcome, took string) string {
	switch claim, level := o.Claim, view.Level(view.ClaimProof(o)); {
	case claim.Refused():
		return fmt.Sprintf(" claimed to be %s after %s; refused: %s", claim.Kind, took, text.Line(claim.Why))
	case level == loop.LevelProven:
		return fmt.Sprintf(" claimed to be %s after %s; the gates agree", claim.Kind, took)
	case level.AtLeast(loop.LevelTestsChanged):
		return fmt.Sprintf(" claimed to be %s after %s; %s", claim.Kind, took, view.LevelWords(level))
	case claim != nil:
		return fmt.Sprintf(" claimed to be %s after %s", claim.Kind, took)
	}
	for _, g := range o.Gates {
		if !g.OK && !g.Known {
			return fmt.Sprintf(" worked for %s; gate %s %s", took, text.Line(g.Name), view.Gate(g))
		}
	}
	if o.Progress != nil && !*o.Progress {
		return fmt.Sprintf(" worked for %s and got nowhere", took)
	}
	return " worked for " + took
}

func complaint(o *loop.Outcome, otherwise string) string {
	if o.Error == nil || o.Error.Message == "" {
		return otherwise
	}
	return text.Line(o.Error.Message)
}

func (d *log) limit(o *loop.Outcome) string {
	switch {
	case o.Limit == nil:
		return "usage limit"
	case o.Limit.Until.IsZero():
		return fmt.Sprintf("usage limit (%s)", text.Line(o.Limit.Kind))
	}
	return fmt.Sprintf("usage limit (%s) until %s", text.Line(o.Limit.Kind), d.clock(o.Limit.Until, o.EndedAt))
}

// clock is a time of day in the zone of the rehearsal.
func (d *log) clock(t, now time.Time) string {
	if t.Sub(now) < 24*time.Hour {
		return t.In(d.zone).Format("15:04")
	}
	return t.In(d.zone).Format("2006-01-02 15:04")
}

// briefly is a duration without parts that are nothing: 15m, 2h05m, 40s.
func briefly(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(text.Seconds(d), "00s"), "00m")
}
