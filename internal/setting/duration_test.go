package setting

import (
	"regexp"
	"testing"
	"time"
)

func TestReadDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "30d": 720 * time.Hour, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour, "0d": 0, "-1d": -24 * time.Hour,
		"0": 0, "1h 30m": 90 * time.Minute, "1d 2h": 26 * time.Hour, "30min": 30 * time.Minute, "1day": 24 * time.Hour, "2 days": 48 * time.Hour, "1week": 168 * time.Hour,
		"1day 2h 3min 4s 5ms 6us 7ns": 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Millisecond + 6*time.Microsecond + 7, "90 seconds": 90 * time.Second,
		"1.5h": 90 * time.Minute, "+2m": 2 * time.Minute, ".5s": 500 * time.Millisecond, "1µs": time.Microsecond,
	} {
		if got, err := ReadDuration(in); got != want || err != nil {
			t.Errorf("ReadDuration(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "d", "30", "d12h", "1d-2h", "two days", "1month", "1y", "1h ss", "1..5h", ". s", "-", "- 1h ,", "--1h", " 1h", "1e3s", "0x10s", "NaNs", "Infs", "200000d", "-200000d", "106751d24h"} {
		if got, err := ReadDuration(in); err == nil {
			t.Errorf("ReadDuration(%q) = %v, want an error", in, got)
		}
	}
}

// Editors say of a duration what we say of it.
func TestTheSchemaKnowsDurations(t *testing.T) {
	pattern := regexp.MustCompile(durationPattern)
	for _, in := range []string{"90s", "1h30m", "1h 30m", "2 days", "1.5d", ".5s", "30min", "1week", "1day 2h 3min"} {
		if _, err := ReadDuration(in); err != nil || !pattern.MatchString(in) {
			t.Errorf("%q: read %v, and by the schema %v", in, err, pattern.MatchString(in))
		}
	}
	for _, in := range []string{"", "30", "d", "two days", "1month", "1h ss", "1..5h", " 1h", "1e3s"} {
		if _, err := ReadDuration(in); err == nil || pattern.MatchString(in) {
			t.Errorf("%q: read %v, and by the schema %v", in, err, pattern.MatchString(in))
		}
	}
	for unit := range units {
		if !pattern.MatchString("1" + unit) {
			t.Errorf("the schema does not know %q", unit)
		}
	}
}

// What Go writes is read as Go reads it.
func FuzzReadDuration(f *testing.F) {
	for _, n := range []int64{0, 1, 90e9, 5400e9, 1<<63 - 1, -1, 1500} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		if n == -1<<63 {
			t.Skip("has no positive")
		}
		want := time.Duration(n)
		got, err := ReadDuration(want.String())
		if off := (got - want).Abs(); err != nil || off > 1 {
			t.Errorf("ReadDuration(%s) = %v, %v", want, got, err)
		}
	})
}
