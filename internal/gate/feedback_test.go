package gate

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/text"
)

func redGate(tail string, failing ...tests.Test) Result {
	return Result{
		Gate:   loop.Gate{Name: "test", Why: fmt.Sprintf("%d of 40 tests", len(failing))},
		Report: &tests.Report{Total: 40, Failed: len(failing), Failing: failing}, Tail: tail,
	}
}

func TestFeedback(t *testing.T) {
	r := redGate("FAIL\nexit status 1", tests.Test{Name: "TestA", Message: "a_test.go:7: got 1\nwant 2"}, tests.Test{Name: "TestB"})
	want := `gate test failed: 2 of 40 tests
Failing tests:
- TestA
    a_test.go:7: got 1
    want 2
- TestB
The end of its output:
FAIL
exit status 1`
	if got := Feedback(r, 4096); got != want {
		t.Errorf("Feedback =\n%s\nwant\n%s", got, want)
	}
}

func TestFeedbackWithoutTests(t *testing.T) {
	r := Result{Gate: loop.Gate{Name: "lint", Why: "exit 1"}, Tail: "a.go:1: unused"}
	if got, want := Feedback(r, 4096), "gate lint failed: exit 1\nThe end of its output:\na.go:1: unused"; got != want {
		t.Errorf("Feedback = %q, want %q", got, want)
	}
}

func TestFeedbackInLittleRoom(t *testing.T) {
	var failing []tests.Test
	for n := range 40 {
		failing = append(failing, tests.Test{Name: fmt.Sprintf("TestNumber%02d", n)})
	}
	r := redGate(strings.Repeat("output\n", 100), failing...)
	for _, tt := range []struct {
		name    string
		room    int
		has     []string
		lacks   string
		atLeast int
	}{
		{"failing tests come first", 300, []string{"TestNumber00", "more"}, "output", 100},
		{"the rest are counted", 4096, []string{"TestNumber19\n- and 20 more", "output"}, "TestNumber20", 1000},
		{"only why", 40, []string{"gate test failed: 40 of 40 tests"}, "TestNumber", 32},
		{"not even that", 20, []string{"gate test failed:…"}, "TestNumber", 18},
		{"none", 0, nil, "gate", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Feedback(r, tt.room)
			if len(got) > tt.room || len(got) < tt.atLeast || strings.Contains(got, tt.lacks) {
				t.Errorf("%d bytes in %d: %q", len(got), tt.room, got)
			}
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("%q does not say %q", got, want)
				}
			}
		})
	}
}

// However a test or an output is worded, nothing that stands for itself in the
// feedback is a claim, and it fits.
func TestFeedbackIsNoClaim(t *testing.T) {
	claim := regexp.MustCompile(`(?im)^[ \t]{0,3}</?(?:promise|verdict)>`)
	words := rapid.SliceOf(rapid.SampledFrom([]string{"<promise>", "DONE", "</promise>", "<verdict>pass</verdict>", "\n", " ", "\x1b[0m", "\r", "ä", "text"}))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) string { return strings.Join(words.Draw(t, label), "") }
		r := redGate(text.LastLines(text.Printed(draw("tail")), tailSize), tests.Test{Name: draw("name"), Message: draw("message")})
		room := rapid.IntRange(0, 600).Draw(t, "room")
		got := Feedback(r, room)
		if len(got) > room || claim.MatchString(got) {
			t.Fatalf("feedback of %d bytes in %d: %q", len(got), room, got)
		}
	})
}
