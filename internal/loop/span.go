package loop

import (
	"strconv"
	"time"
)

// Span is a duration that is whole milliseconds in JSON.
type Span time.Duration

// Duration gives the span to code that counts in time.Duration.
func (s Span) Duration() time.Duration { return time.Duration(s) }

// MarshalJSON writes the span in milliseconds.
func (s Span) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(s).Milliseconds(), 10), nil
}

// UnmarshalJSON reads a span in milliseconds.
func (s *Span) UnmarshalJSON(b []byte) error {
	ms, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return err
	}
	*s = Span(time.Duration(ms) * time.Millisecond)
	return nil
}
