package parts

import (
	"context"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Usage warns of what an agent does not tell, where something depends on it.
type Usage struct{ *engine.Kit }

// Check looks at what the agent said of itself.
func (u *Usage) Check(_ context.Context, a *engine.Attempt, o *loop.Outcome) {
	limits, s, name := u.Limits(), u.State(), a.Worker.Name
	if (limits.CostUSD > 0 || limits.Tokens > 0) && o.Usage == nil && o.Exit != nil && !s.HeldByProvider(*o) {
		u.Warn("usage", loop.Warning{
			Text: "an attempt ended without saying what it used up, so the budget may be exceeded unseen",
			Hint: "some agents tell only at their end: give them the time to reach it, or limit the run with -n or --max-time",
		})
	}
	if limits.CostUSD > 0 && o.Usage.Tokens() > 0 && o.Usage.Cost() == 0 {
		u.Warn("cost", loop.Warning{
			Text: "the agent tells its tokens and not its cost, so budget.cost_usd is not kept",
			Hint: "use budget.tokens (--max-tokens), or set the price of its model in a [prices] table",
		})
	}
	if s.Counting.Keep && o.Result == loop.OK && o.Session == "" && s.SessionOf(name) == "" {
		u.Warn("session "+name, loop.Warning{Text: name + " tells no session, so there is none to go on with: every iteration begins afresh"})
	}
}
