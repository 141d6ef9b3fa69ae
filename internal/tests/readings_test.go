package tests

import (
	"fmt"
	"strings"
	"testing"
)

// reading is an output and what it says, in brief.
type reading struct{ name, text, want string }

// check reads each output, given line by line.
func check(t *testing.T, readings []reading) {
	t.Helper()
	for _, tt := range readings {
		if got := brief(tt.text); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s\nfrom\n%s", tt.name, got, tt.want, tt.text)
		}
	}
}

// brief is a report in one line: "go: 3 = 1 passed + 1 failed + 1 skipped; TestAdd".
func brief(text string) string {
	r, ok := Read(text)
	if !ok {
		return "nothing"
	}
	s := fmt.Sprintf("%s: %d = %d passed + %d failed + %d skipped", r.Framework, r.Total, r.Passed, r.Failed, r.Skipped)
	if len(r.Failing) > 0 {
		names := make([]string, len(r.Failing))
		for i, f := range r.Failing {
			names[i] = f.Name
		}
		s += "; " + strings.Join(names, ", ")
	}
	return s
}

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }
