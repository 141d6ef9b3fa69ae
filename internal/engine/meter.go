package engine

import (
	"context"
	"fmt"

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
}

func (e *Engine) newMeter(cancel context.CancelCauseFunc) *meter {
	return &meter{e: e, before: e.snapshot().Totals, cancel: cancel}
}

// add looks at usage as it is reported. A report is what the attempt has used
// so far, so the last one counts.
func (m *meter) add(p loop.Payload) {
	u, ok := p.(*loop.AgentUsage)
	if !ok {
		return
	}
	limits := m.e.limits()
	tokens := m.before.Tokens + u.Usage.Tokens()
	cost := m.before.CostUSD + u.Usage.CostUSD
	if over(float64(tokens), float64(limits.Tokens)) || over(cost, limits.CostUSD) {
		m.cancel(proc.End(loop.OnBudget))
	}
	m.e.warnOfCost(cost, m.before.CostEstimated || u.Usage.Estimated())
	m.e.warnOfTokens(tokens)
	m.fill(u.Usage.ContextPercent)
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
