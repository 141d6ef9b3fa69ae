package report

import (
	"fmt"
	"sort"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// activity is what a run was doing at a time.
type activity uint8

const (
	working activity = iota
	judging          // gates run
	waiting
	paused
	rebooting
	off // nobody was running it
)

// span is a stretch of time in one activity. Times are milliseconds: a long run has
// many.
type span struct {
	from, to int64
	activity activity
}

// timeline follows a run through time.
type timeline struct {
	turns []turn
	last  int64 // time of the last event
}

// turn is a moment at which the activity changed.
type turn struct {
	at int64
	to activity
}

func (m *timeline) add(e loop.Event) {
	at := max(e.Time.UnixMilli(), m.last) // a clock that was put back does not turn time around
	switch p := e.Payload.(type) {
	case *loop.RunResumed:
		m.turn(m.last, off) // the runner before may have died any time after its last word
		m.turn(at, working)
	case *loop.RunStarted, *loop.RunBaseline, *loop.RunUnpaused, *loop.RunRebootFinished, *loop.IterationStarted, *loop.IterationFinished:
		m.turn(at, working)
	case *loop.RunWaiting:
		m.turn(at, waiting)
	case *loop.RunPaused:
		m.turn(at, paused)
	case *loop.RunRebootStarted:
		m.turn(at, rebooting)
	case *loop.RunParked, *loop.RunFinished:
		m.turn(at, off)
	case *loop.GateStarted:
		m.turn(at, judging)
	case *loop.IterationPhase:
		if p.Phase == loop.Gates {
			m.turn(at, judging)
		} else {
			m.turn(at, working)
		}
	}
	m.last = at
}

func (m *timeline) turn(at int64, to activity) {
	if n := len(m.turns); n > 0 && m.turns[n-1].at == at {
		m.turns = m.turns[:n-1] // it did not last
	}
	if n := len(m.turns); n > 0 && m.turns[n-1].to == to {
		return
	}
	m.turns = append(m.turns, turn{at, to})
}

// until gives the stretches up to a time. What comes after the end of a run is
// none of them.
func (m *timeline) until(end int64) []span {
	var list []span
	for i, t := range m.turns {
		to := end
		if i+1 < len(m.turns) {
			to = m.turns[i+1].at
		} else if t.to == off {
			break
		}
		if to > t.at {
			list = append(list, span{t.at, to, t.to})
		}
	}
	return list
}

// band is the whole run on one line of time, coloured by what it was doing.
type band struct {
	Says   string
	Parts  []part
	Marks  []mark
	Below  []tick
	Legend []activitySum
}

type part struct{ X, W, Class, Tip string }

// mark is a claim that was refused, at its time.
type mark struct{ X, Tip string }

// activitySum is how long a activity lasted in all, and its share of the time that the
// run was alive.
type activitySum struct{ Class, Label, Total, Share string }

// activityNames are the timeline in words, and the colours that they have.
var activityNames = map[activity]struct{ says, class string }{
	working:   {"running", "main"},
	judging:   {"gates", "late"},
	waiting:   {"waiting", "held"},
	paused:    {"paused", "idle"},
	rebooting: {"rebooting", "ok"},
	off:       {"not running", "off"},
}

const (
	maxParts = 600 // beyond it a part is thinner than a line
	maxMarks = 100
	// longestBreak is how much of the band a time may take in which nobody ran the
	// run, as a share of the rest: a resume after the weekend must not squeeze the
	// nights before and after it into two lines.
	longestBreak = 0.06
)

func bandOf(d *Data) *band {
	if len(d.spans) == 0 {
		return nil
	}
	line := layTime(d.spans)
	b := &band{Legend: activitySums(d.spans)}
	for i, l := range b.Legend {
		if i > 0 {
			b.Says += ", "
		}
		b.Says += join(" ", l.Label, l.Total, l.Share)
	}
	zone := d.made.Location()
	shown, mostly := line.spans, ""
	if len(shown) > maxParts {
		shown, mostly = line.thin(maxParts), "mostly "
	}
	for _, s := range shown {
		from, to := line.at(s.from), line.at(s.to)
		name := activityNames[s.activity]
		b.Parts = append(b.Parts, part{
			percent(from), percent(to - from), name.class,
			fmt.Sprintf("%s\n%s to %s\n%s", text.Sentence(mostly+name.says), moment(s.from, zone), moment(s.to, zone), durationWords(s.to-s.from)),
		})
	}
	for _, r := range d.refusals {
		for i, at := range r.at {
			if len(b.Marks) < maxMarks && !r.near {
				b.Marks = append(b.Marks, mark{percent(line.at(at.UnixMilli())), fmt.Sprintf("Claim refused\niteration %s, %s\n%s", r.places[i], moment(at.UnixMilli(), zone), r.why)})
			}
		}
	}
	for i, x := range []float64{0, 25, 50, 75, 100} {
		anchor := []string{"start", "middle", "middle", "middle", "end"}[i]
		b.Below = append(b.Below, tick{percent(x), anchor, line.label(x, zone)})
	}
	return b
}

func activitySums(spans []span) []activitySum {
	var sums [off + 1]int64
	var live int64
	for _, s := range spans {
		sums[s.activity] += s.to - s.from
		if s.activity != off {
			live += s.to - s.from
		}
	}
	var list []activitySum
	for m, sum := range sums {
		if sum == 0 {
			continue
		}
		name := activityNames[activity(m)]
		one := activitySum{Class: name.class, Label: name.says, Total: durationWords(sum)}
		if activity(m) != off {
			one.Share = share(sum, live)
		}
		list = append(list, one)
	}
	return list
}

// timeAxis lays stretches of time along a line of 100 percent, with long breaks
// cut short.
type timeAxis struct {
	spans  []span
	starts []float64 // where each begins, in percent
	ends   []float64
}

func layTime(spans []span) timeAxis {
	var live int64
	for _, s := range spans {
		if s.activity != off {
			live += s.to - s.from
		}
	}
	width := func(s span) float64 {
		w := float64(s.to - s.from)
		if s.activity == off && live > 0 {
			w = min(w, float64(live)*longestBreak)
		}
		return w
	}
	var all, at float64
	for _, s := range spans {
		all += width(s)
	}
	t := timeAxis{spans: spans}
	for _, s := range spans {
		t.starts = append(t.starts, at/all*100)
		at += width(s)
		t.ends = append(t.ends, at/all*100)
	}
	return t
}

// at is the place of a time.
func (t timeAxis) at(ms int64) float64 {
	i := sort.Search(len(t.spans)-1, func(i int) bool { return t.spans[i].to >= ms })
	s := t.spans[i]
	into := float64(min(max(ms-s.from, 0), s.to-s.from)) / float64(s.to-s.from)
	return t.starts[i] + into*(t.ends[i]-t.starts[i])
}

// when is the time of a place.
func (t timeAxis) when(x float64) int64 {
	i := sort.Search(len(t.spans)-1, func(i int) bool { return t.ends[i] >= x })
	s, width := t.spans[i], t.ends[i]-t.starts[i]
	if width <= 0 {
		return s.from
	}
	into := min(max((x-t.starts[i])/width, 0), 1)
	return s.from + int64(into*float64(s.to-s.from))
}

// label is a time below the line, as fine as the whole needs.
func (t timeAxis) label(x float64, zone *time.Location) string {
	begin, end := t.spans[0].from, t.spans[len(t.spans)-1].to
	at := time.UnixMilli(t.when(x)).In(zone)
	switch long := time.Duration(end-begin) * time.Millisecond; {
	case long > 20*time.Hour:
		return at.Format("2 Jan 15:04")
	case long > 20*time.Minute:
		return at.Format("15:04")
	case long > 10*time.Second:
		return at.Format(time.TimeOnly)
	}
	return at.Format("15:04:05.0")
}

// thin gives n stretches at most: each place shows what lasted longest in it.
func (t timeAxis) thin(n int) []span {
	var list []span
	i := 0
	for k := range n {
		begin, end := float64(k)/float64(n)*100, float64(k+1)/float64(n)*100
		from, to := t.when(begin), t.when(end)
		var sums [off + 1]float64
		for ; i < len(t.spans); i++ {
			sums[t.spans[i].activity] += min(t.ends[i], end) - max(t.starts[i], begin)
			if t.ends[i] > end {
				break // it reaches into the next
			}
		}
		longest := working
		for m := range sums {
			if sums[m] > sums[longest] {
				longest = activity(m)
			}
		}
		if last := len(list) - 1; last >= 0 && list[last].activity == longest {
			list[last].to = to
			continue
		}
		list = append(list, span{from, to, longest})
	}
	return list
}

// moment is a time of day, with its date.
func moment(ms int64, zone *time.Location) string {
	return time.UnixMilli(ms).In(zone).Format("2 Jan 15:04:05")
}

// share is a part in percent.
func share(part, whole int64) string {
	if whole <= 0 {
		return "0%"
	}
	percent := float64(part) / float64(whole) * 100
	if percent > 0 && percent < 1 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", percent)
}
