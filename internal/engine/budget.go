package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Context is what to do about an agent whose context fills up.
type Context struct {
	Redline int  // percent; 0 is none
	Warn    int  // percent; 0 is none
	Kill    bool // end the agent at the redline, and not only its session after it
}

// Meter looks at what the agent uses up while it works: it warns before a budget
// is used up, and ends the agent when it is.
type Meter struct {
	*Kit
	context Context
	agent   string
	before  loop.Totals
	end     context.CancelCauseFunc

	mu   sync.Mutex
	last loop.Usage
}

// NewMeter makes the meter of an attempt that begins now.
func (k *Kit) NewMeter(c Context, agent string, end context.CancelCauseFunc) *Meter {
	return &Meter{Kit: k, context: c, agent: agent, before: k.State().Totals, end: end}
}

// Hear looks at usage as it is reported. A report is what the attempt has used
// so far, so the last one counts.
func (m *Meter) Hear(p loop.Payload) []loop.Payload {
	u, ok := p.(*loop.AgentUsage)
	if !ok {
		return nil
	}
	m.mu.Lock()
	m.last = u.Usage
	m.mu.Unlock()
	m.Weigh()
	m.fill(u.Usage.ContextPercent)
	return nil
}

// Report has nothing to add: the outcome has the usage.
func (*Meter) Report(*loop.Outcome) []loop.Payload { return nil }

// Weigh compares what is used with what may be, which a person may have changed.
func (m *Meter) Weigh() {
	m.mu.Lock()
	u := m.last
	m.mu.Unlock()
	limits := m.Limits()
	tokens, cost := m.before.Tokens+u.Tokens(), m.before.CostUSD+u.CostUSD
	if over(float64(tokens), float64(limits.Tokens)) || over(cost, limits.CostUSD) {
		m.end(proc.End(loop.OnBudget))
	}
	m.warnOfCost(cost, m.before.CostEstimated || u.Estimated())
	m.warnOfTokens(tokens)
}

// fill looks at how full the context is.
func (m *Meter) fill(percent int) {
	c := m.context
	switch {
	case c.Kill && c.Redline > 0 && percent > c.Redline:
		m.end(proc.End(loop.OnRedline))
	case c.Warn > 0 && percent >= c.Warn:
		m.Warn("context "+m.State().SessionOf(m.agent), loop.Warning{
			Text: fmt.Sprintf("the agent's context is %d%% full (context.warn is %d, context.redline %d)", percent, c.Warn, c.Redline),
		})
	}
}

func over(spent, limit float64) bool { return limit > 0 && spent >= limit }

// nearly is the part of a budget at which people are told, while they can still
// raise it.
const nearly = 0.8

// warnOfBudgets tells of every budget that is nearly used up.
func (k *Kit) warnOfBudgets() {
	s, limits := k.State(), k.Limits()
	k.warnOfCost(s.Totals.CostUSD, s.Totals.CostEstimated)
	k.warnOfTokens(s.Totals.Tokens)
	if n := limits.Iterations; n >= 10 && over(float64(s.Totals.Iterations), nearly*float64(n)) {
		k.warnOfBudget("iterations", fmt.Sprintf("%d of %d iterations have run", s.Totals.Iterations, n), "loop.max_iterations")
	}
	live, most := k.Facts(nil).Live(), limits.Time.Duration()
	if over(float64(live), nearly*float64(most)) {
		k.warnOfBudget("time", fmt.Sprintf("the run has lasted %s of %s", live.Round(time.Second), most), "loop.max_time")
	}
}

func (k *Kit) warnOfCost(cost float64, estimated bool) {
	most := k.Limits().CostUSD
	if !over(cost, nearly*most) {
		return
	}
	about := ""
	if estimated {
		about = "about "
	}
	k.warnOfBudget("cost", fmt.Sprintf("%s$%.2f of $%.2f are spent", about, cost, most), "budget.cost_usd")
}

func (k *Kit) warnOfTokens(tokens int) {
	if most := k.Limits().Tokens; over(float64(tokens), nearly*float64(most)) {
		k.warnOfBudget("tokens", fmt.Sprintf("%d of %d tokens are used", tokens, most), "budget.tokens")
	}
}

// warnOfBudget says it once a run, and once more after the budget was raised.
func (k *Kit) warnOfBudget(which, what, key string) {
	k.WarnOnce(loop.Warning{
		Text: what,
		Hint: fmt.Sprintf("the run stops at the limit and can go on from there; raise it now with: refrain raise %s=VALUE", key),
		Key:  loop.BudgetKey + which,
	})
}
