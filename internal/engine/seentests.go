package engine

import (
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

// seenTests reads the test runs that the agent made itself, from what its
// shell commands printed. A file that it only read says nothing of today.
type seenTests struct {
	shell  map[string]bool // the ids of its commands
	inText *tests.Parser   // of an agent that prints everything as text
	best   *loop.Tests
}

func newSeenTests(inText bool) *seenTests {
	s := &seenTests{shell: map[string]bool{}}
	if inText {
		s.inText = tests.New()
	}
	return s
}

// hear looks at what the agent tells, and gives the test run in it, if there is
// one.
func (s *seenTests) hear(p loop.Payload) *loop.TestsSeen {
	switch p := p.(type) {
	case *loop.AgentTool:
		if p.Shell && p.ID != "" {
			s.shell[p.ID] = true
		}
	case *loop.AgentText:
		if s.inText != nil {
			s.inText.Write([]byte(p.Text + "\n"))
		}
	case *loop.AgentToolResult:
		if !s.shell[p.ID] {
			return nil
		}
		delete(s.shell, p.ID)
		if report, ok := tests.Read(p.Output); ok {
			return s.keep(report)
		}
	}
	return nil
}

// close is the test run in the text as a whole, if there is one.
func (s *seenTests) close() *loop.TestsSeen {
	if s.inText == nil {
		return nil
	}
	if report, ok := s.inText.Report(); ok {
		return s.keep(report)
	}
	return nil
}

// keep holds on to the last of the largest runs: an agent that runs one test
// after the whole suite has not lost the others.
func (s *seenTests) keep(r tests.Report) *loop.TestsSeen {
	t := r.Tests()
	if s.best == nil || t.Total >= s.best.Total {
		s.best = t
	}
	return &loop.TestsSeen{Tests: *t}
}
