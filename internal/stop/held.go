package stop

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Holds says how to treat a provider that turns attempts away.
type Holds struct {
	Wait    bool          // false: the first such attempt ends the run
	MaxWait time.Duration // per wait; 0 is none
	MaxTime time.Duration // of the whole run, live; 0 is none
	Backoff time.Duration // when no time is stated: this, doubling
	// Margin is added to a stated reset: clocks differ, and an attempt one second
	// early would be turned away again.
	Margin time.Duration
}

// providerMaxBackoff caps the pause between two tries of an unavailable
// provider: an outage of hours should be noticed to be over within minutes.
const providerMaxBackoff = 10 * time.Minute

// Held waits when a usage limit or an outage held the attempt up, and gives up
// when that would take too long.
func Held(h Holds) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil {
			return none
		}
		switch f.Outcome.Result {
		case loop.Limited:
			return h.limited(f)
		case loop.Unavailable:
			return h.unavailable(f)
		}
		return none
	}
}

func (h Holds) limited(f loop.Facts) loop.Verdict {
	what := "usage limit"
	var until time.Time
	if l := f.Outcome.Limit; l != nil {
		what = fmt.Sprintf("usage limit (%s)", l.Kind)
		if l.Until.After(f.Now) {
			until = l.Until.Add(h.Margin)
		}
	}
	if !h.Wait {
		return end(loop.Aborted, loop.ByWaitTooLong, what+" reached, and limits.wait is off")
	}
	if until.IsZero() {
		until = f.Now.Add(doubled(max(h.Backoff, time.Second), f.State.HeldUp, providerMaxBackoff))
		if h.MaxWait > 0 && f.Now.Sub(f.State.HeldSince) > h.MaxWait {
			return end(loop.Aborted, loop.ByWaitTooLong, fmt.Sprintf("%s for longer than %s (limits.max_wait)", what, h.MaxWait))
		}
	}
	return h.until(f, until, "limit", what, loop.ByWaitTooLong)
}

func (h Holds) unavailable(f loop.Facts) loop.Verdict {
	what := "the provider is unavailable"
	if e := f.Outcome.Error; e != nil {
		what = fmt.Sprintf("the provider is unavailable (%s)", e.Kind)
	}
	if !h.Wait {
		return end(loop.Aborted, loop.ByProvider, what+", and limits.wait is off")
	}
	if h.MaxWait > 0 && f.Now.Sub(f.State.HeldSince) > h.MaxWait {
		return end(loop.Aborted, loop.ByProvider, fmt.Sprintf("%s for longer than %s (limits.max_wait)", what, h.MaxWait))
	}
	until := f.Now.Add(doubled(h.Backoff, f.State.HeldUp, providerMaxBackoff))
	return h.until(f, until, "provider", what, loop.ByProvider)
}

// until waits to a time, unless the run would be over by then anyway.
func (h Holds) until(f loop.Facts, until time.Time, rule, what string, tooLong loop.Reason) loop.Verdict {
	wait := until.Sub(f.Now)
	if h.MaxWait > 0 && wait > h.MaxWait+h.Margin {
		return end(loop.Aborted, tooLong, fmt.Sprintf("%s until %s, further away than %s (limits.max_wait)", what, clock(until), h.MaxWait))
	}
	if h.MaxTime > 0 && f.Live()+wait > h.MaxTime {
		return end(loop.Exhausted, loop.ByTime, fmt.Sprintf("%s until %s, beyond loop.max_time (%s)", what, clock(until), h.MaxTime))
	}
	return loop.Verdict{Action: loop.Wait, Rule: rule, Why: what, For: loop.Span(wait), Until: until}
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// doubled is first for try 1, twice that for try 2, and so on up to most.
func doubled(first time.Duration, try int, most time.Duration) time.Duration {
	d := first
	for i := 1; i < try && d < most; i++ {
		d *= 2
	}
	return min(d, most)
}
