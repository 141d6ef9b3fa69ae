package notify

import (
	"slices"
	"strings"
	"time"
)

// rate decides which messages are let through, so that people go on reading
// them.
type rate struct {
	every   time.Duration
	perHour int
	quiet   quiet

	last map[Kind]time.Time
	sent []time.Time // in the last hour
}

// pass tells whether a message is sent now. What is held back is dropped: in the
// morning nobody wants to read of a wait that is long over. The end of a run
// always passes, without a sound where all should be quiet.
func (r *rate) pass(m *Message, now time.Time) bool {
	quiet := r.quiet.at(now) && !m.Urgent
	if m.State.Ended() {
		m.Silent = quiet
		return true
	}
	r.sent = slices.DeleteFunc(r.sent, func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	last, before := r.last[m.Kind]
	switch {
	case quiet,
		before && now.Sub(last) < r.every,
		r.perHour > 0 && len(r.sent) >= r.perHour:
		return false
	}
	r.last[m.Kind] = now
	r.sent = append(r.sent, now)
	return true
}

// quiet is a part of the day, from one minute up to another; the zero quiet is
// never.
type quiet struct{ from, to int } // minutes since midnight

func minute(text string) (int, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	return t.Hour()*60 + t.Minute(), err
}

// at tells whether it is quiet at a time, by the clock on the wall.
func (q quiet) at(t time.Time) bool {
	t = t.Local()
	now := t.Hour()*60 + t.Minute()
	if q.from <= q.to {
		return q.from <= now && now < q.to
	}
	return now >= q.from || now < q.to
}
