package view

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestGateInWords(t *testing.T) {
	took := loop.Span(900 * time.Millisecond)
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
