package engine

import (
	"context"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// watch ends the agent when a person wants the run stopped at once or its time
// is over. The function it returns ends the watching.
func (e *Engine) watch(cancel context.CancelCauseFunc) func() {
	var overtime <-chan time.Time
	if most := e.Limits.Time.Duration(); most > 0 {
		timer := time.NewTimer(most - e.facts(nil).Live())
		overtime = timer.C
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-e.Control.now:
			cancel(proc.End(loop.OnRequest))
		case <-overtime:
			cancel(proc.End(loop.OnMaxTime))
		case <-done:
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

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

// meter ends the agent when it has used up the run's budget.
type meter struct {
	limits loop.Limits
	before loop.Totals
	cancel context.CancelCauseFunc
}

func newMeter(limits loop.Limits, before loop.Totals, cancel context.CancelCauseFunc) *meter {
	return &meter{limits: limits, before: before, cancel: cancel}
}

// add looks at usage as it is reported. A report is what the attempt has used
// so far, so the last one counts.
func (m *meter) add(p loop.Payload) {
	u, ok := p.(*loop.AgentUsage)
	if !ok {
		return
	}
	tokens := m.before.Tokens + u.Usage.Tokens()
	cost := m.before.CostUSD + u.Usage.CostUSD
	if over(float64(tokens), float64(m.limits.Tokens)) || over(cost, m.limits.CostUSD) {
		m.cancel(proc.End(loop.OnBudget))
	}
}

func over(spent, limit float64) bool { return limit > 0 && spent >= limit }
