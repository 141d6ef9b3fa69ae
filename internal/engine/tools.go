package engine

import (
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// openTools knows the tools that the agent has called and that have not given
// back yet: while one is at work, the silence of the agent means nothing.
type openTools struct {
	mu   sync.Mutex
	open map[string]bool
}

// hear looks at what the agent tells. A call without an id could never be
// closed, and does not count; the agent's last word closes all.
func (t *openTools) hear(p loop.Payload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch p := p.(type) {
	case *loop.AgentTool:
		if t.open == nil {
			t.open = map[string]bool{}
		}
		if p.ID != "" {
			t.open[p.ID] = true
		}
	case *loop.AgentToolResult:
		delete(t.open, p.ID)
	case *loop.AgentResult:
		clear(t.open)
	}
}

func (t *openTools) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) > 0
}
