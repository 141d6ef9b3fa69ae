package fleettest

import (
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// seen is what the checks of a run have found worth telling.
type seen struct {
	iterations, lost, legs int
	together               time.Duration // that two agents were at work on it at the same time
}

// check checks what has to be true of a run that is done, whatever happened on the way.
// Repo is where it was done.
func (y *yard) check(r fleet.Row, repo string) seen {
	y.Helper()
	if r.State != loop.Done {
		y.Errorf("%s is %s (%s %s), want done", r.Run, r.State, r.Why, r.Wrong)
		return seen{}
	}
	events := y.remote.journal(repo, carry.Prefix+r.ID)
	s := seen{legs: r.Leg}
	good, counted, lost := y.attempts(r.Run, events)
	s.iterations, s.lost = counted, lost
	if r.Iterations != counted {
		y.Errorf("%s has %d iterations in its journal, and the fleet says %d", r.Run, counted, r.Iterations)
	}
	y.checkBranch(r, repo, good, counted)
	y.checkMoves(r, repo)
	s.together = y.checkShifts(r)
	return s
}

// attempts checks that every iteration stands in the journal once, from the first to the
// last. Good are those that went well.
func (y *yard) attempts(name string, events []loop.Event) (good []int, counted, lost int) {
	y.Helper()
	for i, e := range events {
		if e.Seq != events[0].Seq+int64(i) {
			y.Errorf("%s: event %d comes after event %d", name, e.Seq, events[i-1].Seq)
		}
		f, ok := e.Payload.(*loop.IterationFinished)
		switch {
		case !ok:
		case f.State.Totals.Iterations == counted: // it did not count
			lost++
		case f.State.Totals.Iterations != counted+1 || e.Iter != counted+1:
			y.Errorf("%s: iteration %d is the %dth that counts, want the %dth", name, e.Iter, f.State.Totals.Iterations, counted+1)
			counted = f.State.Totals.Iterations
		default:
			counted++
			if f.Outcome.Result == loop.OK {
				good = append(good, e.Iter)
			}
		}
	}
	if len(events) == 0 {
		y.Errorf("%s has no journal on the remote", name)
		return nil, 0, 0
	}
	if end, ok := events[len(events)-1].Payload.(*loop.RunFinished); !ok || end.State != loop.Done {
		y.Errorf("%s: the last event is %s, want the end of a run that is done", name, events[len(events)-1].Type())
	}
	return good, counted, lost
}

// checkBranch checks that the branch has the line of each iteration that went well, once
// and in order, and none of one that does not count.
func (y *yard) checkBranch(r fleet.Row, repo string, good []int, counted int) {
	y.Helper()
	b, err := y.remote.try(repo+".git", "show", "refs/heads/"+r.Branch+":work.txt")
	if err != nil {
		y.Errorf("%s: the branch %s has no work.txt: %v", r.Run, r.Branch, err)
		return
	}
	var lines []int
	for _, word := range strings.Fields(string(b)) {
		lines = append(lines, number(y.TB, word))
	}
	for i, n := range lines {
		if n < 1 || n > counted || i > 0 && n <= lines[i-1] {
			y.Errorf("%s: the branch has the work of iteration %d after %v; %d iterations count", r.Run, n, lines[:i], counted)
			return
		}
	}
	for _, n := range good {
		if !slices.Contains(lines, n) {
			y.Errorf("%s: the branch lacks the work of iteration %d, which went well: it has %v", r.Run, n, lines)
		}
	}
}

// checkMoves checks that the ref of a run went from value to value, that only who had it
// moved it, and that nothing of its journal was ever taken back. So nobody who has lost a
// run has pushed anything.
func (y *yard) checkMoves(r fleet.Row, repo string) {
	y.Helper()
	values := y.remote.values(repo, carry.Prefix+r.ID)
	for i, v := range values {
		if !strings.HasPrefix(v.card.Worker, v.who) {
			y.Errorf("%s: %s pushed a card of %s (leg %d)", r.Run, v.who, v.card.Worker, v.card.Leg)
		}
		if i == 0 {
			continue
		}
		before := values[i-1]
		switch {
		case v.from != before.to:
			y.Errorf("%s: its ref went from %s, and was at %s", r.Run, v.from, before.to)
		case v.card.Leg < before.card.Leg:
			y.Errorf("%s: %s pushed leg %d after %s had pushed leg %d", r.Run, v.who, v.card.Leg, before.who, before.card.Leg)
		case v.card.Leg == before.card.Leg && v.who != before.who:
			y.Errorf("%s: %s and %s have both pushed leg %d", r.Run, before.who, v.who, v.card.Leg)
		case !strings.HasPrefix(v.pieces, before.pieces):
			y.Errorf("%s: what %s pushed in leg %d does not go on from the journal of leg %d", r.Run, v.who, v.card.Leg, before.card.Leg)
		}
	}
}

// checkShifts adds up for how long two agents were at work on a run at the same time. One
// that came to its end, after another was at work, has to be told by the caller's sum.
func (y *yard) checkShifts(r fleet.Row) (together time.Duration) {
	y.Helper()
	list := y.shifts(r)
	for i, a := range list {
		for _, b := range list[i+1:] {
			if d := overlap(a, b); d > 0 {
				y.Logf("%s: iteration %d on %s and iteration %d on %s were at work together for %v", r.Run, a.iteration, a.machine, b.iteration, b.machine, d)
				together += d
			}
		}
	}
	return together
}
