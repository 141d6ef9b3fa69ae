package text

import (
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	tests := []struct {
		d                 time.Duration
		duration, seconds string
	}{
		{-time.Second, "0.0s", "0s"},
		{0, "0.0s", "0s"},
		{400 * time.Millisecond, "0.4s", "0s"},
		{45200 * time.Millisecond, "45.2s", "45s"},
		{59940 * time.Millisecond, "59.9s", "1m00s"},
		{59960 * time.Millisecond, "1m00s", "1m00s"},
		{136 * time.Second, "2m16s", "2m16s"},
		{63 * time.Second, "1m03s", "1m03s"},
		{time.Hour - time.Millisecond, "1h00m", "1h00m"},
		{63 * time.Minute, "1h03m", "1h03m"},
		{100*time.Hour + 59*time.Minute + 59*time.Second, "100h59m", "100h59m"},
	}
	for _, tt := range tests {
		if got := Duration(tt.d); got != tt.duration {
			t.Errorf("Duration(%v) = %q, want %q", tt.d, got, tt.duration)
		}
		if got := Seconds(tt.d); got != tt.seconds {
			t.Errorf("Seconds(%v) = %q, want %q", tt.d, got, tt.seconds)
		}
	}
}

func TestAWaitIsCountedDownToTheSecond(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": -time.Minute, "45s": 45 * time.Second, "12m03s": 723 * time.Second, "3h12m05s": 3*time.Hour + 725*time.Second, "1h00m00s": time.Hour,
	} {
		if got := Left(d); got != want {
			t.Errorf("Left(%v) = %q, want %q", d, got, want)
		}
	}
}
