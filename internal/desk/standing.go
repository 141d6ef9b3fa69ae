package desk

import (
	"errors"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// stands adds to a standing who says it.
func (l *leg) stands(s fleet.Standing) fleet.Standing {
	s.Worker, s.Host = l.desk.Worker, l.desk.Host
	return s
}

// standing is how the run stands after the leg.
func (l *leg) standing(end loop.RunFinished) fleet.Standing {
	card := l.held.Card()
	out := l.stands(fleet.Standing{
		State: end.State, Reason: end.Reason, Why: end.Why, Proven: end.Proven,
		Iterations: end.Totals.Iterations, CostUSD: end.Totals.CostUSD, Tokens: int64(end.Totals.Tokens),
		Leg: card.Leg, At: l.held.At(), Head: card.Head,
	})
	if err := l.seen.unkept(); err != nil {
		out.Stuck, out.Why = true, said(err)
	}
	l.seen.mu.Lock()
	defer l.seen.mu.Unlock()
	out.Broke, out.Person = l.seen.broke, l.seen.person || out.Stuck && !passes(l.seen.problem)
	if l.seen.never != nil {
		out.Person, out.Why = true, said(l.seen.never)
	}
	if p := l.seen.parked; p != nil && end.State == loop.Parked {
		out.Until, out.Rule = p.Until, p.Rule
		switch {
		case p.Rule == loop.RuleAsked:
			out.Person = out.Stuck && out.Person // then the usual answer is taken
		case !p.Until.IsZero():
			out.Agent = l.seen.waits
		}
	}
	return out
}

// said is an error with what to do, in one line.
func said(err error) string {
	if h := hint(err); h != "" {
		return err.Error() + "; " + h
	}
	return err.Error()
}

// lost is a leg whose run is somebody else's.
func (l *leg) lost(err error) (fleet.Standing, error) {
	out := fleet.Standing{Taken: true, Leg: l.Leg, Why: err.Error()}
	var taken *carry.TakenError
	if errors.As(err, &taken) {
		out.At = taken.Now
		if by := taken.By; by != nil {
			out.Leg, out.State, out.Head = by.Leg, by.State, by.Head
			out.Away = by.Held && !by.Fleet
		}
	}
	return l.stands(out), nil
}

// unbegun is a leg that came to nothing. Who knows what a person can do about that says
// so; what nobody knows is tried again elsewhere.
func (l *leg) unbegun(err error) (fleet.Standing, error) {
	var taken *carry.TakenError
	if errors.As(err, &taken) {
		return l.lost(taken)
	}
	if passes(err) || hint(err) == "" {
		return fleet.Standing{}, err
	}
	out := l.stands(fleet.Standing{Failed: true, Why: said(err), Leg: l.Leg, At: l.told})
	if l.held != nil {
		out.At, out.Head = l.held.At(), l.held.Card().Head
	}
	l.seen.mu.Lock()
	defer l.seen.mu.Unlock()
	t := l.seen.totals
	out.Iterations, out.CostUSD, out.Tokens = t.Iterations, t.CostUSD, int64(t.Tokens)
	return out, nil
}

// tellProgress tells how far the leg is.
func (l *leg) tellProgress(state loop.Status) {
	if l.hooks.Tell == nil {
		return
	}
	l.seen.mu.Lock()
	t := l.seen.totals
	l.seen.mu.Unlock()
	l.hooks.Tell(fleet.Progress{
		Leg: l.Leg, Worker: l.desk.Worker, Host: l.desk.Host, State: state, Iterations: t.Iterations, CostUSD: t.CostUSD, Tokens: int64(t.Tokens), At: l.whereAt(),
	})
}
