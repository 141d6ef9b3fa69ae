package detect

import (
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

// testRuns reads the test runs that the agent made itself, from what its
// shell commands printed. A file that it only read says nothing of today.
type testRuns struct {
	shell  map[string]bool // the ids of its commands
	inText *tests.Parser   // of an agent that prints everything as text
	best   *loop.Tests
}

// TestRuns finds the tests that the agent ran. InText says that it prints what its
// tools print as its own text.
func TestRuns(inText bool) Detector {
	d := &testRuns{shell: map[string]bool{}}
	if inText {
		d.inText = tests.New()
	}
	return d
}

func (d *testRuns) Hear(said loop.Payload) []loop.Payload {
	switch p := said.(type) {
	case *loop.AgentTool:
		if p.Shell && p.ID != "" {
			d.shell[p.ID] = true
		}
	case *loop.AgentText:
		if d.inText != nil {
			d.inText.WriteString(p.Text)
			d.inText.WriteString("\n")
		}
	case *loop.AgentToolResult:
		if !d.shell[p.ID] {
			return nil
		}
		delete(d.shell, p.ID)
		if report, ok := tests.Read(p.Output); ok {
			return d.keep(report)
		}
	}
	return nil
}

// Report adds the test run in the text as a whole, if there is one.
func (d *testRuns) Report(o *loop.Outcome) (seen []loop.Payload) {
	if d.inText != nil {
		if report, ok := d.inText.Report(); ok {
			seen = d.keep(report)
		}
	}
	o.Tests = d.best
	return seen
}

// keep holds on to the last of the largest runs: an agent that runs one test
// after the whole suite has not lost the others.
func (d *testRuns) keep(r tests.Report) []loop.Payload {
	t := r.Tests()
	if d.best == nil || t.Total >= d.best.Total {
		d.best = t
	}
	return []loop.Payload{&loop.TestsSeen{Tests: *t}}
}

// Witness says that what was heard holds whatever became of the agent.
func (*testRuns) Witness() {}
