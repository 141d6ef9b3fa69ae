package detect

import (
	"regexp"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// patterns looks for the user's stop patterns, in what the agent says and in its
// errors. The two come from different goroutines.
type patterns struct {
	list []*regexp.Regexp

	mu    sync.Mutex
	found map[string]bool
}

// Patterns finds which of the patterns the agent's words match.
func Patterns(list []*regexp.Regexp) Detector {
	return &patterns{list: list, found: map[string]bool{}}
}

func (m *patterns) Hear(said loop.Payload) []loop.Payload {
	if text, ok := said.(*loop.AgentText); ok {
		m.look(text.Text)
	}
	return nil
}

// Complain takes in a line of the agent's errors.
func (m *patterns) Complain(line []byte) { m.look(string(line)) }

func (m *patterns) look(text string) {
	if len(m.list) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.list {
		if !m.found[p.String()] && p.MatchString(text) {
			m.found[p.String()] = true
		}
	}
}

// Report lists the patterns that were found, in the user's order.
func (m *patterns) Report(o *loop.Outcome) []loop.Payload {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.list {
		if m.found[p.String()] {
			o.Matched = append(o.Matched, p.String())
		}
	}
	return nil
}

// Witness says that what was heard holds whatever became of the agent.
func (*patterns) Witness() {}
