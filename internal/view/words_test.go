package view

import (
	"math"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestPeople(t *testing.T) {
	tests := []struct {
		state loop.Status
		level loop.Level
		want  string
	}{
		{loop.Running, "", "running"},
		{loop.Waiting, "", "waiting"},
		{loop.Paused, "", "paused"},
		{loop.Rebooting, "", "rebooting"},
		{loop.Done, loop.LevelProven, "done, proven"},
		{loop.Done, loop.LevelKept, "done, nothing broke"},
		{loop.Done, loop.LevelTestsChanged, "done, tests changed"},
		{loop.Done, loop.LevelClaimed, "done, unproven"},
		{loop.Done, "", "done, unproven"},
		{loop.Done, "of a later version", "done, unproven"},
		{loop.Exhausted, "", "hit the limit"},
		{loop.Aborted, "", "gave up"},
		{loop.Stopped, "", "you stopped it"},
		{loop.CouldNotRun, "", "could not run"},
		{loop.Crashed, "", "died"},
	}
	for _, tt := range tests {
		if got := People(tt.state, tt.level); got != tt.want {
			t.Errorf("People(%s, %s) = %q, want %q", tt.state, tt.level, got, tt.want)
		}
	}
}

func TestDurations(t *testing.T) {
	tests := []struct {
		d               time.Duration
		duration, total string
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
		if got := Total(tt.d); got != tt.total {
			t.Errorf("Total(%v) = %q, want %q", tt.d, got, tt.total)
		}
	}
}

func TestCount(t *testing.T) {
	tests := []struct {
		n    int
		want string
	}{
		{0, "0"},
		{7, "7"},
		{999, "999"},
		{1000, "1,000"},
		{4230, "4,230"},
		{1234567, "1,234,567"},
		{-4230, "-4,230"},
		{-999, "-999"},
		{math.MinInt64, "-9,223,372,036,854,775,808"},
	}
	for _, tt := range tests {
		if got := Count(tt.n); got != tt.want {
			t.Errorf("Count(%d) = %q, want %q", tt.n, got, tt.want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 tests", 1: "1 test", 2: "2 tests", 1200: "1,200 tests"} {
		if got := Plural(n, "test"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
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

func TestAClockHasADateWhenItsTimeIsFarAway(t *testing.T) {
	now := time.Date(2026, 11, 3, 22, 0, 0, 0, time.Local)
	for want, d := range map[string]time.Duration{
		"22:00": 0, "00:07": 127 * time.Minute, "21:59": 24*time.Hour - time.Minute,
		"2026-11-04 22:00": 24 * time.Hour, "2026-11-03 21:59": -time.Minute,
	} {
		if got := Clock(now.Add(d), now); got != want {
			t.Errorf("Clock in %v = %q, want %q", d, got, want)
		}
	}
}

func TestDollars(t *testing.T) {
	tests := []struct {
		usd       float64
		estimated bool
		want      string
	}{
		{0.42, false, "$0.42"},
		{0.42, true, "≈$0.42"},
		{0.004, true, "under $0.01"},
		{0, false, "$0.00"},
	}
	for _, tt := range tests {
		if got := Dollars(tt.usd, tt.estimated); got != tt.want {
			t.Errorf("Dollars(%v, %v) = %q, want %q", tt.usd, tt.estimated, got, tt.want)
		}
	}
}

func TestWhoPays(t *testing.T) {
	for to, want := range map[string]string{"api_key": "your API key", "subscription": "your subscription", "": "", "the\nking": "the king"} {
		if got := Billed(to); got != want {
			t.Errorf("Billed(%q) = %q, want %q", to, got, want)
		}
	}
}

func TestEachHasADeviationWhenThereAreTwo(t *testing.T) {
	for want, s := range map[string]Spread{"6m12s": {N: 1, Mean: 372e3}, "6m12s ± 45.2s": {N: 2, Mean: 372e3, Deviation: 45.2e3}} {
		if got := Each(s); got != want {
			t.Errorf("Each(%+v) = %q, want %q", s, got, want)
		}
	}
}
