package view

import (
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
