package rehearse

import (
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
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
	digest view.Digest  // the words
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
	return &log{zone: zone, digest: view.Digest{Zone: zone, Idle: c.Loop.IdleTimeout}, tell: tell}
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
	d.addLocked(at, 0, "the disk is full, for "+view.Brief(lasts))
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
	if text := d.digest.Line(e); text != "" {
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
