package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Context is what to do about an agent whose context fills up.
type Context struct {
	Redline int  // percent; 0 is none
	Warn    int  // percent; 0 is none
	Kill    bool // end the agent at the redline, and not only its session after it
}

// meter looks at what the agent uses up while it works: it warns before a budget
// is used up, and ends the agent when it is.
type meter struct {
	e      *Engine
	before loop.Totals
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	last loop.Usage
}

// newMeter begins to look; the function it returns ends that.
func (e *Engine) newMeter(cancel context.CancelCauseFunc) (*meter, func()) {
	m := &meter{e: e, before: e.snapshot().Totals, cancel: cancel}
	set := func(m *meter) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.meter = m
	}
	set(m)
	return m, func() { set(nil) }
}

// add looks at usage as it is reported. A report is what the attempt has used
// so far, so the last one counts.
func (m *meter) add(p loop.Payload) {
	u, ok := p.(*loop.AgentUsage)
	if !ok {
		return
	}
	m.mu.Lock()
	m.last = u.Usage
	m.mu.Unlock()
	m.weigh()
	m.fill(u.Usage.ContextPercent)
}

// weigh compares what is used with what may be, which a person may have changed.
func (m *meter) weigh() {
	m.mu.Lock()
	u := m.last
	m.mu.Unlock()
	limits := m.e.limits()
	tokens, cost := m.before.Tokens+u.Tokens(), m.before.CostUSD+u.CostUSD
	if over(float64(tokens), float64(limits.Tokens)) || over(cost, limits.CostUSD) {
		m.cancel(proc.End(loop.OnBudget))
	}
	m.e.warnOfCost(cost, m.before.CostEstimated || u.Estimated())
	m.e.warnOfTokens(tokens)
}

// fill looks at how full the context is.
func (m *meter) fill(percent int) {
	c := m.e.Context
	switch {
	case c.Kill && c.Redline > 0 && percent > c.Redline:
		m.cancel(proc.End(loop.OnRedline))
	case c.Warn > 0 && percent >= c.Warn:
		m.e.warn("context "+m.e.snapshot().SessionOf(m.e.worker.Name), loop.Warning{
			Text: fmt.Sprintf("the agent's context is %d%% full (context.warn is %d, context.redline %d)", percent, c.Warn, c.Redline),
		})
	}
}

func over(spent, limit float64) bool { return limit > 0 && spent >= limit }
