package view

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

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
		{loop.Exhausted, "", "exhausted"},
		{loop.Aborted, "", "aborted"},
		{loop.Stopped, "", "stopped"},
		{loop.CouldNotRun, "", "failed"},
		{loop.Crashed, "", "crashed"},
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
	for want, s := range map[string]Spread{"6m12s": {N: 1, Mean: 372e3}, "6m12s ± 45.2s": {N: 2, Mean: 372e3, Deviation: 45.2e3}, "1.0s": {N: 2, Mean: 1e3, Deviation: 12}} {
		if got := Each(s); got != want {
			t.Errorf("Each(%+v) = %q, want %q", s, got, want)
		}
	}
}

func TestGateInWords(t *testing.T) {
	took := loop.Millis(900 * time.Millisecond)
	tests := []struct {
		gate loop.Gate
		want string
	}{
		{loop.Gate{OK: true, Tests: 12, Duration: took}, "passed (12 tests, 0.9s)"},
		{loop.Gate{OK: true, Tests: 1, Duration: took}, "passed (1 test, 0.9s)"},
		{loop.Gate{OK: true, Duration: took}, "passed (0.9s)"},
		{loop.Gate{Tests: 12, Why: "3 of 12 tests", Duration: took}, "failed (3 of 12 tests)"},
		{loop.Gate{Why: "the reviewer:\n\x1b[31mno"}, "failed (the reviewer: no)"},
		{loop.Gate{Known: true, Why: "35 of 40 tests"}, "still failing (35 of 40 tests)"},
		{loop.Gate{}, "failed"},
	}
	for _, tt := range tests {
		if got := Gate(tt.gate); got != tt.want {
			t.Errorf("Gate(%+v) = %q, want %q", tt.gate, got, tt.want)
		}
	}
}

func TestTestsInWords(t *testing.T) {
	tests := []struct {
		tests loop.Tests
		want  string
	}{
		{loop.Tests{Total: 12, Passed: 12}, "12 of 12 tests passed"},
		{loop.Tests{Total: 14, Passed: 11, Failed: 1, Skipped: 2}, "11 of 12 tests passed, 2 skipped"},
		{loop.Tests{Total: 1, Failed: 1}, "0 of 1 test passed"},
		{loop.Tests{Total: 3, Skipped: 3}, "no tests ran, 3 skipped"},
		{loop.Tests{}, "no tests ran"},
	}
	for _, tt := range tests {
		if got := Tests(tt.tests); got != tt.want {
			t.Errorf("Tests(%+v) = %q, want %q", tt.tests, got, tt.want)
		}
	}
}

func TestNamesAreFew(t *testing.T) {
	tests := []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"A"}, "A"},
		{[]string{"A", "B", "C"}, "A, B, C"},
		{[]string{"A", "B\x1b[2J\nb", "C", "D", "E"}, "A, B b, C and 2 more"},
	}
	for _, tt := range tests {
		if got := Names(tt.names, 3); got != tt.want {
			t.Errorf("Names(%q, 3) = %q, want %q", tt.names, got, tt.want)
		}
	}
}

func TestWhatKeepsAnAgent(t *testing.T) {
	now := time.Date(2026, 11, 3, 22, 0, 0, 0, time.Local)
	limit := &loop.Limit{Kind: "five_hour", Until: now.Add(3 * time.Hour)}
	tests := []struct {
		away loop.ProviderHold
		want string
	}{
		{loop.ProviderHold{Kind: loop.ErrUsageLimit, Limit: limit, At: now}, "usage limit (five_hour) until 01:00"},
		{loop.ProviderHold{Kind: loop.ErrRateLimit, Limit: &loop.Limit{Kind: "weekly"}, At: now}, "usage limit (weekly)"},
		{loop.ProviderHold{Kind: loop.ErrUsageLimit, At: now}, "usage limit"},
		{loop.ProviderHold{Kind: loop.ErrOverloaded, At: now}, "the provider is unavailable (overloaded)"},
		{loop.ProviderHold{Kind: loop.ErrAuth, At: now}, "not signed in"},
		{loop.ProviderHold{Kind: loop.ErrBilling, At: now}, "no credit left"},
		{loop.ProviderHold{Kind: "from_the_future", At: now}, "from the future"},
	}
	for _, tt := range tests {
		if got := HeldByProvider(tt.away, now); got != tt.want {
			t.Errorf("HeldByProvider(%+v) = %q, want %q", tt.away, got, tt.want)
		}
	}
}

func TestFit(t *testing.T) {
	tests := []struct {
		name, in string
		width    int
		want     string
	}{
		{"what fits stays", "hello", 5, "hello"},
		{"what does not is cut", "hello", 4, "hel…"},
		{"a wide character counts two", "世界", 4, "世界"},
		{"and is never halved", "世界", 3, "世…"},
		{"an accent stays on its letter", "e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"one cell", "hello", 1, "…"},
		{"no room", "hello", 0, ""},
		{"less than no room", "hello", -3, ""},
		{"lines become one", "a\nb", 10, "a b"},
	}
	for _, tt := range tests {
		if got := Fit(tt.in, tt.width); got != tt.want {
			t.Errorf("%s: Fit(%q, %d) = %q, want %q", tt.name, tt.in, tt.width, got, tt.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add("hello\nworld", 7)
	f.Add("世界世界", 3)
	f.Add("👩‍💻👩‍💻", 3)
	f.Add("\x1b[31mred\x1b[0m", 2)
	f.Add("e\u0301\u0301", 1)
	f.Fuzz(func(t *testing.T, s string, width int) {
		got := Fit(s, width)
		if w := ansi.StringWidth(got); w > max(width, 0) {
			t.Errorf("Fit(%q, %d) = %q is %d wide", s, width, got, w)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("Fit(%q, %d) = %q is not one clean line", s, width, got)
		}
	})
}
