package loop

import (
	"strconv"
	"time"
)

// Millis is a duration that is whole milliseconds in JSON.
type Millis time.Duration

// Duration gives it to code that counts in time.Duration.
func (m Millis) Duration() time.Duration { return time.Duration(m) }

// String shows it as people write durations: 1m30s.
func (m Millis) String() string { return time.Duration(m).String() }

// MarshalJSON writes it in milliseconds.
func (m Millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(m).Milliseconds(), 10), nil
}

// UnmarshalJSON reads it in milliseconds.
func (m *Millis) UnmarshalJSON(b []byte) error {
	ms, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return err
	}
	*m = Millis(time.Duration(ms) * time.Millisecond)
	return nil
}
