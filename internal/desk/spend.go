package desk

import (
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/loop"
)

// What a run has cost is told to its account when it was kept, and the card says how much
// of it that is. A worker that dies in between leaves the rest to the next one.
//
//	iteration finished ─► kept, told as before ─► the account is told ─► begun, told
//	left               ─► kept, told ───────────► the account is told, if of anything

func costs(t loop.Totals) carry.Costs { return carry.Costs{USD: t.CostUSD, Tokens: int64(t.Tokens)} }

// told is what the card is to say that the account was told of. When the run is left, it
// is told of the rest at once, and nobody says so later.
func (s *sight) told(left bool) carry.Costs {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left {
		return costs(s.totals)
	}
	return s.spent
}

// owes tells whether there is something that the account was not told of.
func (s *sight) owes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := costs(s.totals)
	return now.USD > s.spent.USD || now.Tokens > s.spent.Tokens
}

// spend tells the account what the run has cost since it was told last.
func (l *leg) spend() {
	l.seen.mu.Lock()
	now, before := costs(l.seen.totals), l.seen.spent
	l.seen.spent = now
	l.seen.mu.Unlock()
	if l.hooks.Spent == nil {
		return
	}
	broke := l.hooks.Spent(max(0, now.USD-before.USD), max(0, now.Tokens-before.Tokens))
	l.seen.mu.Lock()
	l.seen.broke = l.seen.broke || broke
	l.seen.mu.Unlock()
}
