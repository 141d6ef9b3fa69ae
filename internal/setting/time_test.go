package setting

import (
	"testing"
	"time"
)

func TestADurationIsWrittenAsItIsSet(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "250ms": 250 * time.Millisecond, "1m": time.Minute, "1m30s": 90 * time.Second, "2h": 2 * time.Hour, "2h0m5s": 2*time.Hour + 5*time.Second, "1h30m": 90 * time.Minute,
	} {
		if got := Time(d); got != want {
			t.Errorf("Time(%v) = %q, want %q", d, got, want)
		}
	}
}
