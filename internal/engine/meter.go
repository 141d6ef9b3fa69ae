package engine

import (
	"context"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

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
