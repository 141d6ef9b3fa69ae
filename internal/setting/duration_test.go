package setting

import (
	"testing"
	"time"
)

func TestReadDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "30d": 720 * time.Hour, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour, "0d": 0, "-1d": -24 * time.Hour,
	} {
		if got, err := ReadDuration(in); got != want || err != nil {
			t.Errorf("ReadDuration(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "d", "30", "d12h", "1d1d", "1d-2h", "1d 2h", "two days", "200000d", "-200000d", "106751d24h"} {
		if got, err := ReadDuration(in); err == nil {
			t.Errorf("ReadDuration(%q) = %v, want an error", in, got)
		}
	}
}
