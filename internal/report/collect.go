package report

import (
	"slices"
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
	timeline timeline
	warnings warnings
	outside  outside
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
	outside  outside
	texts    texts
}

// Add takes in one event. It wants all of the journal, in its order.
func (c *Collector) Add(e loop.Event) {
	c.timeline.add(e)
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
	case *loop.SandboxRefused:
		c.outside.add(p)
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
	end := c.timeline.last
	if !run.State.Ended() {
		end = max(end, now.UnixMilli())
	}
	d := &Data{
		Status: run.Status(now), made: now, run: run, version: c.version,
		points: c.points, waits: c.waits.until(end), spans: c.timeline.until(end),
	}
	d.attempts, d.unlisted = c.attempts.listed()
	d.refusals, d.unsaid = c.refusals.list, c.refusals.more
	d.warnings, d.unwarned = c.warnings.list, c.warnings.more
	d.outside = c.outside
	return d
}

// place is an attempt by its numbers. Iteration 0 is before the first.
type place struct{ iter, attempt int }

// point is what the charts show of one attempt. A run may have very many.
type point struct {
	place
	result         loop.Result
	took           time.Duration
	tested         bool
	passed, failed int
	cost           float64
	estimated      bool
	context        int // percent; 0 is not known
}

func pointOf(e loop.Event, o *loop.Outcome) point {
	p := point{
		place: place{e.Iter, e.Attempt}, result: o.Result, took: o.Duration.Duration(),
		cost: o.Usage.Cost(), estimated: o.Usage.Estimated(),
	}
	if t := o.Tests; t != nil && t.Passed+t.Failed > 0 {
		p.tested, p.passed, p.failed = true, t.Passed, t.Failed
	}
	if o.Usage != nil {
		p.context = o.Usage.ContextPercent
	}
	return p
}

// A page lists every attempt of a run of up to maxListed, and of a longer one the
// last and those in which something happened.
const (
	maxListed  = 2000
	lastListed = 500
	maxNotable = 2000
)

// attempts keeps what will be listed, and little more.
type attempts struct {
	list  []attempt
	total int
}

func (a *attempts) add(one attempt) {
	a.list = append(a.list, one)
	a.total++
	if len(a.list) >= maxListed+maxNotable+2*lastListed {
		a.list = pick(a.list)
	}
}

// listed gives those to list, and how many there are more.
func (a *attempts) listed() ([]attempt, int) {
	list := a.list
	if a.total > maxListed {
		list = pick(list)
	}
	return list, a.total - len(list)
}

// pick keeps the last, and of those before them the last notable ones.
func pick(list []attempt) []attempt {
	old, last := list[:len(list)-lastListed], list[len(list)-lastListed:]
	var kept []attempt
	for _, one := range old {
		if one.notable {
			kept = append(kept, one)
		}
	}
	kept = kept[max(0, len(kept)-maxNotable):]
	return append(kept, last...)
}

// Most different refusals, and most places of each, that are listed; the rest is
// counted.
const (
	maxRefusals = 200
	maxPlaces   = 50
)

// refusal is a claim that was not taken, however often it was made.
type refusal struct {
	kind   loop.ClaimKind
	text   string
	why    string
	near   bool // it only looked like a claim
	times  int
	places []place
	at     []time.Time
}

type refusals struct {
	list []refusal
	more int
	last place // where the last one was, and why
	why  string
}

func (r *refusals) add(at place, when time.Time, p *loop.ClaimRefused) {
	if r.last == at && r.why == p.Why && len(r.list) > 0 {
		return // judged again, after its runner had died
	}
	r.last, r.why = at, p.Why
	why := view.Fit(p.Why, maxText)
	i := slices.IndexFunc(r.list, func(o refusal) bool { return o.near == p.NearMiss && o.kind == p.Kind && o.why == why })
	if i < 0 {
		if len(r.list) == maxRefusals {
			r.more++
			return
		}
		r.list = append(r.list, refusal{kind: p.Kind, why: why, near: p.NearMiss})
		i = len(r.list) - 1
	}
	one := &r.list[i]
	one.text = view.Fit(p.Text, maxText)
	if one.times++; one.times <= maxPlaces {
		one.places = append(one.places, at)
		one.at = append(one.at, when)
	}
}

// wait is all the waiting that one rule asked for.
type wait struct {
	rule           string
	why            string // of the last one
	times          int
	total, longest time.Duration
}

// waits sums the waiting up.
type waits struct {
	list  []wait
	open  bool
	rule  string // of the open one
	since int64
}

func (w *waits) add(e loop.Event) {
	at := e.Time.UnixMilli()
	switch p := e.Payload.(type) {
	case *loop.RunWaiting:
		w.end(at)
		w.open, w.rule, w.since = true, p.Rule, at
		i := w.find(p.Rule)
		w.list[i].times++
		w.list[i].why = view.Fit(p.Why, maxText)
	case *loop.RunResumed:
		w.open = false // the runner died in it, and nobody knows when
	case *loop.IterationStarted, *loop.RunPaused, *loop.RunRebootStarted, *loop.RunRule, *loop.RunParked, *loop.RunFinished:
		w.end(at)
	}
}

func (w *waits) end(at int64) {
	if !w.open {
		return
	}
	w.open = false
	took := time.Duration(max(at-w.since, 0)) * time.Millisecond
	sum := &w.list[w.find(w.rule)]
	sum.total += took
	sum.longest = max(sum.longest, took)
}

func (w *waits) find(rule string) int {
	for i := range w.list {
		if w.list[i].rule == rule {
			return i
		}
	}
	w.list = append(w.list, wait{rule: rule})
	return len(w.list) - 1
}

// until gives the sums at a time, the wait under way included.
func (w *waits) until(at int64) []wait {
	now := *w
	now.list = append([]wait(nil), w.list...)
	now.end(at)
	return now.list
}

// maxWarnings is how many different ones are listed; the rest is counted.
const maxWarnings = 50

// warning is something a person should know, however often it was said.
type warning struct {
	text, hint string
	times      int
}

type warnings struct {
	list []warning
	more int
}

func (w *warnings) add(p *loop.Warning) {
	said := warning{view.Fit(p.Text, maxText), view.Fit(p.Hint, maxText), 1}
	i := slices.IndexFunc(w.list, func(o warning) bool { return o.text == said.text && o.hint == said.hint })
	switch {
	case i >= 0:
		w.list[i].times++
	case len(w.list) == maxWarnings:
		w.more++
	default:
		w.list = append(w.list, said)
	}
}
