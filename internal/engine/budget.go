package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// nearly is the part of a budget at which people are told, while they can still
// raise it.
const nearly = 0.8

// warnOfBudgets tells of every budget that is nearly used up.
func (e *Engine) warnOfBudgets() {
	s, limits := e.snapshot(), e.limits()
	e.warnOfCost(s.Totals.CostUSD, s.Totals.CostEstimated)
	e.warnOfTokens(s.Totals.Tokens)
	if n := limits.Iterations; n >= 10 && over(float64(s.Totals.Iterations), nearly*float64(n)) {
		e.warnOfBudget("iterations", fmt.Sprintf("%d of %d iterations have run", s.Totals.Iterations, n), "loop.max_iterations")
	}
	live, most := e.facts(nil).Live(), limits.Time.Duration()
	if over(float64(live), nearly*float64(most)) {
		e.warnOfBudget("time", fmt.Sprintf("the run has lasted %s of %s", live.Round(time.Second), most), "loop.max_time")
	}
}

func (e *Engine) warnOfCost(cost float64, estimated bool) {
	most := e.limits().CostUSD
	if !over(cost, nearly*most) {
		return
	}
	about := ""
	if estimated {
		about = "about "
	}
	e.warnOfBudget("cost", fmt.Sprintf("%s$%.2f of $%.2f are spent", about, cost, most), "budget.cost_usd")
}

func (e *Engine) warnOfTokens(tokens int) {
	if most := e.limits().Tokens; over(float64(tokens), nearly*float64(most)) {
		e.warnOfBudget("tokens", fmt.Sprintf("%d of %d tokens are used", tokens, most), "budget.tokens")
	}
}

// warnOfBudget says it once a run, and once more after the budget was raised.
func (e *Engine) warnOfBudget(which, what, key string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := &loop.Warning{Text: what, Hint: fmt.Sprintf("the run stops at the limit and can go on from there; raise it now with: refrain raise %s=VALUE", key), Key: loop.BudgetKey + which}
	if !slices.Contains(e.state.Told, w.Key) {
		e.recordLocked(w)
	}
}
