package cli

import (
	"bytes"
	"strings"
	"testing"
)

// What goes wrong is told in lines that fit, like everything else.
func TestComplaintsFit(t *testing.T) {
	told := failure{
		what: "run-12 did not take \"raise\": there is no limit max_iterations: did you mean loop.max_iterations?",
		hint: "look at /home/ada/.local/state/refrain/projects/a-folder-with-a-long-name/runs, then free some disk space and try again",
	}
	var whole bytes.Buffer
	told.print(&whole)
	for _, width := range widths {
		var b bytes.Buffer
		told.print(folding{&b, func() int { return width }})
		looksWell(t, "a complaint", b.String(), whole.String(), width)
		for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
			if begins := strings.HasPrefix(line, "refrain: ") || strings.HasPrefix(line, "hint: "); begins == strings.HasPrefix(line, "  ") {
				t.Errorf("at %d columns line %d is %q, want a beginning, or the rest of a line set off", width, i, line)
			}
		}
	}
}

func TestFoldingLeavesTheRestAlone(t *testing.T) {
	const text = "  a list  with   blanks\n\nno end"
	for _, width := range []int{0, 1, 60} {
		var b bytes.Buffer
		if n, err := (folding{&b, func() int { return width }}).Write([]byte(text)); n != len(text) || err != nil || b.String() != text {
			t.Errorf("at %d columns %q (%d, %v), want it as it was", width, b.String(), n, err)
		}
	}
}
