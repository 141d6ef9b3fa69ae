package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/app"
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

// What we put before a stream does not hide that it is a terminal, and is out of the way
// of a program that gets it.
func TestTheStreamBehindIsKnown(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	patient := app.NewPatient(folding{f, func() int { return 60 }})
	defer patient.Close()
	if patient.Fd() != f.Fd() {
		t.Errorf("a patient stream before folded lines is %d, want that of the file, %d", patient.Fd(), f.Fd())
	}
	if got := bare(patient); got != f {
		t.Errorf("behind it is %v, want the file", got)
	}
	if (folding{&bytes.Buffer{}, nil}).Fd() != ^uintptr(0) {
		t.Error("a buffer is taken for a file")
	}
}
