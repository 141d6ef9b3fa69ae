package report

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Collector gathers what a report tells from the events of a run. It keeps a
// little of each attempt and nothing of the rest, so that a journal of any length
// can be read through it. The zero Collector is ready.
type Collector struct {
	version  string // of the last runner
	restored string // why the attempt under way was put back

	attempts attempts
	points   []point
	refusals refusals
	waits    waits
	moods    moods
	warnings warnings
}

// Data is what a report tells.
type Data struct {
	Status view.Status

	made     time.Time // its zone is that of the page
	run      *view.Run
	version  string
	attempts []attempt
	unlisted int // attempts that are only counted
	points   []point
	refusals []refusal
	unsaid   int // refusals that are only counted
	waits    []wait
	spans    []span
	warnings []warning
	unwarned int // warnings that are only counted
}

// Add takes in one event. It wants all of the journal, in its order.
func (c *Collector) Add(e loop.Event) {
	c.moods.add(e)
	c.waits.add(e)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		c.version = p.Version
	case *loop.RunResumed:
		c.version = p.Version
	case *loop.IterationStarted:
		c.restored = ""
	case *loop.ClaimRefused:
		c.refusals.add(place{e.Iter, e.Attempt}, e.Time, p)
	case *loop.CheckpointRestored:
		c.restored = p.Why
	case *loop.Warning:
		c.warnings.add(p)
	case *loop.IterationFinished:
		c.attempts.add(attemptOf(e, p, c.restored))
		c.points = append(c.points, pointOf(e, &p.Outcome))
	}
}

// Data is the report on a run as it stands. The run is one that knows whether its
// runner has died; times on the page are in now's time zone.
func (c *Collector) Data(run *view.Run, now time.Time) *Data {
	end := c.moods.last
	if !run.State.Ended() {
		end = max(end, now.UnixMilli())
	}
	d := &Data{
		Status: run.Status(now), made: now, run: run, version: c.version,
		points: c.points, waits: c.waits.until(end), spans: c.moods.until(end),
	}
	d.attempts, d.unlisted = c.attempts.listed()
	d.refusals, d.unsaid = c.refusals.list, c.refusals.more
	d.warnings, d.unwarned = c.warnings.list, c.warnings.more
	return d
}

// place is an attempt by its numbers. Iteration 0 is before the first.
type place struct{ iter, attempt int }
