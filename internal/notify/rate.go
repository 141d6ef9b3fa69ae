package notify

import (
	"slices"
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
	if m.end() {
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
