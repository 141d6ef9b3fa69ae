package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// tape is the record on its way through a supposed run: how far it has been
// played, and where its time is on the clock of that run. Attempts and people
// keep their own pace; the waits between are the run's, so each of them moves the
// rest of the record.
//
//	record    attempt ──── wait ──── attempt
//	clock     attempt ──── wait ──────────── attempt
//	                                └ shift ┘
//
// Of the record, only what comes before its next turn is held.
type tape struct {
	read  func() (loop.Event, error, bool) // the next of the record
	ahead []loop.Event                     // what was read of it, and not played yet
	wrong error                            // why no more can be read
	ends  []mark                           // of the recorded runners
	taken int64                            // the number of the event that was played last
	clock *clock

	shift    time.Duration // from the record's time to the clock's
	ready    time.Time     // when the recorded runner could have gone on: what came before the next turn was over
	last     time.Time     // when its last event came, on the clock
	recorded loop.State    // of the recorded run, as far as it was played
	open     bool          // an attempt has begun that no runner has finished yet
}

// more reads one more event, if there is one.
func (t *tape) more() bool {
	if t.read == nil || t.wrong != nil {
		return false
	}
	e, err, ok := t.read()
	if t.wrong = err; !ok || err != nil {
		t.read = nil
		return false
	}
	t.ahead = append(t.ahead, e)
	return true
}

// peek is the event that comes next; nil: the tape is at its end.
func (t *tape) peek() *loop.Event {
	if len(t.ahead) > 0 || t.more() {
		return &t.ahead[0]
	}
	return nil
}

// take goes on to the event after the next, and gives the next.
func (t *tape) take() loop.Event {
	e := *t.peek()
	t.ahead, t.taken = t.ahead[1:], e.Seq
	t.recorded = t.recorded.Sum(e)
	switch p := e.Payload.(type) {
	case *loop.RunStarted, *loop.RunResumed, *loop.RunRule:
		t.ready = e.Time
	case *loop.IterationStarted:
		t.ready, t.open = e.Time, true
	case *loop.IterationFinished:
		t.ready, t.open = e.Time, false
	case *loop.RunWaiting:
		t.ready = later(t.ready, p.Until)
	case *loop.RunPaused, *loop.RunAsked:
		t.ready = e.Time.AddDate(100, 0, 0) // until a person says so
	case *loop.RunUnpaused, *loop.RunAnswered:
		t.ready = e.Time
	case *loop.CommandReceived:
		if t.ready = later(t.ready, e.Time); !p.Refused && (p.Command == "resume" || p.Command == "approve") {
			t.ready = e.Time
		}
	case *loop.AgentUsage:
		return e // that is not in the journal
	default:
		t.ready = later(t.ready, e.Time)
	}
	t.last = t.clock.now
	return e
}

// atTurn tells whether a turn of the record comes next, or nothing.
func (t *tape) atTurn() bool { return t.peek() == nil || isTurn(*t.peek()) }

// insert adds events to those before the next turn, each in its place.
func (t *tape) insert(events []loop.Event) {
	stretch := t.stretch()
	mixed := slices.SortedStableFunc(slices.Values(slices.Concat(stretch, events)), func(a, b loop.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	t.ahead = slices.Concat(mixed, t.ahead[len(stretch):])
}

// stretch is what comes before the next turn of the record.
func (t *tape) stretch() []loop.Event {
	for n := 0; n < len(t.ahead) || t.more(); n++ {
		if isTurn(t.ahead[n]) {
			return t.ahead[:n]
		}
	}
	return t.ahead
}

// turn is where the record takes its next turn: an attempt begins or ends, or the
// run does. It is nil where the runner died, or is alive.
func (t *tape) turn() *loop.Event {
	n := len(t.stretch())
	if n == len(t.ahead) || isStart(t.ahead[n]) {
		return nil
	}
	return &t.ahead[n]
}

// rule is the end of the recorded run, if that is its next turn.
func (t *tape) rule() *loop.RunRule {
	if turn := t.turn(); turn != nil {
		rule, _ := turn.Payload.(*loop.RunRule)
		return rule
	}
	return nil
}

// end is the verdict that ends this runner of the record, be it later.
func (t *tape) end() (v loop.Verdict) {
	for _, m := range t.ends {
		if m.at > t.taken {
			return m.verdict
		}
	}
	return v
}

func isTurn(e loop.Event) bool {
	switch e.Payload.(type) {
	case *loop.IterationStarted, *loop.IterationFinished, *loop.RunRule:
		return true
	}
	return isStart(e)
}

func isStart(e loop.Event) bool {
	switch e.Payload.(type) {
	case *loop.RunStarted, *loop.RunResumed:
		return true
	}
	return false
}

// at is when a moment of the record comes in the supposed run.
func (t *tape) at(recorded time.Time) time.Time { return later(t.clock.now, recorded.Add(t.shift)) }

// moveTo lets the time pass up to a moment of the record.
func (t *tape) moveTo(recorded time.Time) { t.clock.advance(t.at(recorded)) }

// isNow says that a moment of the record has come.
func (t *tape) isNow(recorded time.Time) { t.shift = t.clock.now.Sub(recorded) }

// approach comes to a moment of the record, as long after the run was ready for it
// as the recorded one was. Waits end some milliseconds late.
func (t *tape) approach(recorded time.Time) {
	t.clock.advance(t.clock.now.Add(max(0, recorded.Sub(t.ready))))
	t.ready = later(t.ready, recorded)
	t.isNow(recorded)
}

// clock is the time of a supposed run. It moves when the run sleeps, and when the
// record is played.
type clock struct {
	now    time.Time
	timers []*timer
	halted bool // a timer wants the time to stand still
	// idle is what happens while the run sleeps, up to a moment, or until it is
	// woken.
	idle func(until time.Time, woken func() bool)
}

type timer struct {
	at   time.Time
	fire func()
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := &timer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() { c.drop(t) }
}

func (c *clock) drop(t *timer) {
	c.timers = slices.DeleteFunc(c.timers, func(other *timer) bool { return other == t })
}

func (c *clock) Sleep(d time.Duration, wake <-chan struct{}) {
	woken := func() bool {
		select {
		case <-wake:
			return true
		default:
			return false
		}
	}
	if !woken() {
		c.idle(c.now.Add(d), woken)
	}
}

// advance moves on to a moment. What was to be done before is done at its time;
// what happens at the moment itself comes first.
func (c *clock) advance(to time.Time) {
	for c.halted = false; ; {
		var due *timer
		for _, t := range c.timers {
			if t.at.Before(to) && (due == nil || t.at.Before(due.at)) {
				due = t
			}
		}
		if due == nil {
			break
		}
		c.drop(due)
		c.now = later(c.now, due.at)
		if due.fire(); c.halted {
			return
		}
	}
	c.now = later(c.now, to)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
