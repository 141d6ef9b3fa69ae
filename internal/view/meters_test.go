package view

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheGaugeOfTheContext(t *testing.T) {
	for _, tt := range []struct {
		full, redline int
		want          string
	}{
		{0, 80, ""},
		{1, 0, "context ░░░░░░░░░░░░ 1%"},
		{50, 0, "context ██████░░░░░░ 50%"},
		{50, 75, "context ██████░░░│░░ 50% (redline 75%)"},
		{90, 75, "context █████████│░░ 90% (redline 75%)"},
		{100, 100, "context ███████████│ 100% (redline 100%)"},
		{140, 0, "context ████████████ 140%"},
	} {
		if got := Gauge(tt.full, tt.redline); got != tt.want {
			t.Errorf("Gauge(%d, %d) = %q, want %q", tt.full, tt.redline, got, tt.want)
		}
	}
}

func TestTheTrendOfTests(t *testing.T) {
	list := func(passed ...int) []loop.Tests {
		var all []loop.Tests
		for _, n := range passed {
			all = append(all, loop.Tests{Passed: n, Failed: 8 - n})
		}
		return all
	}
	for _, tt := range []struct {
		list []loop.Tests
		want string
	}{
		{nil, ""},
		{list(4), ""}, // one is no trend
		{list(0, 4, 8), "▁▄█ "},
		{list(0, 0, 0, 8, 8), "▁▁██ "},
	} {
		if got := Spark(tt.list, 4); got != tt.want {
			t.Errorf("Spark(%v) = %q, want %q", tt.list, got, tt.want)
		}
	}
}

func TestOfALongPathTheMiddleGoes(t *testing.T) {
	const path = "/home/somebody/work/project/internal/greet/greet.go"
	for _, tt := range []struct {
		width int
		want  string
	}{
		{60, path},
		{21, "/home/some…t/greet.go"},
		{3, "/…o"},
		{1, "…"},
		{0, ""},
	} {
		if got := FitPath(path, tt.width); got != tt.want {
			t.Errorf("FitPath(%d) = %q, want %q", tt.width, got, tt.want)
		}
	}
	if got := FitPath("日本語日本語日本語", 8); ansi.StringWidth(got) > 8 || !strings.Contains(got, "…") {
		t.Errorf("FitPath of wide letters is %q", got)
	}
}

func TestTheBarOfIterations(t *testing.T) {
	for _, tt := range []struct {
		n, most int
		want    string
	}{{0, 20, ""}, {3, 0, ""}, {1, 20, "█░░░░░░░"}, {10, 20, "████░░░░"}, {20, 20, "████████"}, {25, 20, "████████"}} {
		if got := Bar(tt.n, tt.most); got != tt.want {
			t.Errorf("Bar(%d, %d) = %q, want %q", tt.n, tt.most, got, tt.want)
		}
	}
}
