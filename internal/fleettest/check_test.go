//go:build unix

package fleettest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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

// check checks what has to be true of a run that is over, whatever happened on the way.
// Repo is where it was done, and ends is how it may have ended; without any: done.
func (y *yard) check(r fleet.Row, repo string, ends ...loop.Status) seen {
	y.Helper()
	if len(ends) == 0 {
		ends = []loop.Status{loop.Done}
	}
	if !slices.Contains(ends, r.State) {
		y.Errorf("%s is %s (%s %s), want %v", r.Run, r.State, r.Why, r.Wrong, ends)
		return seen{}
	}
	ref := carry.Prefix + r.ID
	past, wrong := add(y.remote.journal(repo, ref))
	if past.end != r.State {
		wrong = append(wrong, fmt.Sprintf("the fleet says that it is %s, and its journal that it is %s", r.State, past.end))
	}
	if r.Iterations != past.counted {
		wrong = append(wrong, fmt.Sprintf("the fleet says that it has %d iterations, and its journal has %d", r.Iterations, past.counted))
	}
	wrong = append(wrong, wrongMoves(y.remote.values(repo, ref))...)
	lines, err := y.remote.try(repo+".git", "show", "refs/heads/"+r.Branch+":work.txt")
	if err != nil && len(past.good) > 0 {
		wrong = append(wrong, "its branch "+r.Branch+" has no work.txt")
	} else {
		wrong = append(wrong, wrongWork(past, strings.Fields(string(lines)))...)
	}
	for _, w := range wrong {
		y.Errorf("%s: %s", r.Run, w)
	}
	return seen{past.counted, past.lost, r.Leg, y.together(r)}
}

// past is what a journal adds up to.
type past struct {
	counted int // iterations that count
	lost    int // attempts that do not
	good    []int
	end     loop.Status // how it ended
}

// add adds a journal up, and says what is wrong with it: every iteration stands in it
// once, from the first to the last.
func add(events []loop.Event) (p past, wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if len(events) == 0 {
		return p, []string{"it has no journal on the remote"}
	}
	for i, e := range events {
		if i > 0 && e.Seq <= events[i-1].Seq { // there are gaps: what an agent said is elsewhere
			say("event %d comes after event %d", e.Seq, events[i-1].Seq)
		}
		if p.end != "" {
			say("it went on with %s after its end, which was %s", e.Type(), p.end)
			p.end = ""
		}
		if end, ok := e.Payload.(*loop.RunFinished); ok {
			p.end = end.State
		}
		f, ok := e.Payload.(*loop.IterationFinished)
		switch {
		case !ok:
		case f.State.Totals.Iterations == p.counted:
			p.lost++
		case f.State.Totals.Iterations != p.counted+1 || e.Iter != p.counted+1:
			say("iteration %d is the %dth that counts, after %d", e.Iter, f.State.Totals.Iterations, p.counted)
			p.counted = f.State.Totals.Iterations
		default:
			p.counted++
			if f.Outcome.Result == loop.OK {
				p.good = append(p.good, e.Iter)
			}
		}
	}
	if p.end == "" {
		say("its last event is %s, and not its end", events[len(events)-1].Type())
	}
	return p, wrong
}

// wrongWork says what is wrong with the work on a branch: it has the line of each
// iteration that went well, once and in order, and none of one that does not count.
func wrongWork(p past, lines []string) (wrong []string) {
	last := 0
	for i, line := range lines {
		var n int
		if _, err := fmt.Sscan(line, &n); err != nil || n <= last || n > p.counted {
			wrong = append(wrong, fmt.Sprintf("its branch has the work %q after %q, and %d iterations count", line, lines[:i], p.counted))
		}
		last = n
	}
	for _, n := range p.good {
		if !slices.Contains(lines, fmt.Sprint(n)) {
			wrong = append(wrong, fmt.Sprintf("its branch lacks the work of iteration %d, which went well: it has %q", n, lines))
		}
	}
	return wrong
}

// wrongMoves says what is wrong with how the ref of a run went from value to value: only
// who had it moved it, and nothing of its journal was ever taken back. So nobody who has
// lost a run has pushed anything to it.
func wrongMoves(values []value) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for i, v := range values {
		if !strings.HasPrefix(v.card.Worker, v.who) {
			say("%s pushed a card of %s (leg %d)", v.who, v.card.Worker, v.card.Leg)
		}
		if i == 0 {
			continue
		}
		before := values[i-1]
		switch {
		case v.from != before.to:
			say("its ref went from %s, and was at %s", v.from, before.to)
		case v.card.Leg < before.card.Leg:
			say("%s pushed leg %d after %s had pushed leg %d", v.who, v.card.Leg, before.who, before.card.Leg)
		case v.card.Leg == before.card.Leg && v.who != before.who:
			say("%s and %s have both pushed leg %d", before.who, v.who, v.card.Leg)
		case !strings.HasPrefix(v.pieces, before.pieces):
			say("what %s pushed in leg %d does not go on from the journal of leg %d", v.who, v.card.Leg, before.card.Leg)
		}
	}
	return wrong
}

// together adds up for how long two agents were at work on a run at the same time.
func (y *yard) together(r fleet.Row) (sum time.Duration) {
	y.Helper()
	list := y.shifts(r)
	for i, a := range list {
		for _, b := range list[i+1:] {
			if d := overlap(a, b); d > 0 {
				y.Logf("%s: iteration %d on %s and iteration %d on %s were at work together for %v", r.Run, a.iteration, a.machine, b.iteration, b.machine, d)
				sum += d
			}
		}
	}
	return sum
}

func TestAJournalAddsUp(t *testing.T) {
	ended := func(seq int64, iter, totals int, result loop.Result) loop.Event {
		return loop.Event{Seq: seq, Iter: iter, Payload: &loop.IterationFinished{
			Outcome: loop.Outcome{Result: result}, State: loop.State{Totals: loop.Totals{Iterations: totals}},
		}}
	}
	end := func(seq int64) loop.Event { return loop.Event{Seq: seq, Payload: &loop.RunFinished{State: loop.Done}} }
	good := []loop.Event{ended(1, 1, 0, loop.Lost), ended(2, 1, 1, loop.OK), ended(3, 2, 2, loop.Failed), ended(4, 3, 3, loop.OK), end(5)}
	got, wrong := add(good)
	if len(wrong) > 0 || got.end != loop.Done || got.counted != 3 || got.lost != 1 || !slices.Equal(got.good, []int{1, 3}) {
		t.Errorf("add = %+v, wrong %q; want three iterations that count, one lost", got, wrong)
	}
	for why, events := range map[string][]loop.Event{
		"nothing":                     nil,
		"no end":                      {ended(1, 1, 1, loop.OK)},
		"an iteration twice":          {ended(1, 1, 1, loop.OK), ended(2, 1, 2, loop.OK), end(3)},
		"an iteration left out":       {ended(1, 1, 1, loop.OK), ended(2, 3, 2, loop.OK), end(3)},
		"one that nobody has counted": {ended(1, 2, 2, loop.OK), end(2)},
		"a run that begins again":     {ended(1, 1, 1, loop.OK), end(2), ended(3, 2, 2, loop.OK), end(4)},
		"an event that comes twice":   {ended(2, 1, 1, loop.OK), end(2)},
	} {
		if _, wrong := add(events); len(wrong) == 0 {
			t.Errorf("nothing is found wrong with %s", why)
		}
	}
}

func TestTheWorkOnABranch(t *testing.T) {
	p := past{counted: 4, good: []int{1, 2, 4}}
	for lines, want := range map[string]int{
		"1 2 4": 0, "1 2 3 4": 0, // what a killed agent has done may be there
		"1 4": 1, "": 3, "1 1 2 4": 1, "2 1 4": 1, "1 2 4 5": 1, "1 2 x 4": 1,
	} {
		if wrong := wrongWork(p, strings.Fields(lines)); len(wrong) != want {
			t.Errorf("work %q: %q, want %d faults", lines, wrong, want)
		}
	}
}

func TestWhoMovedARef(t *testing.T) {
	at := func(from, to, who, worker string, leg int, pieces string) value {
		return value{moved{from, to, who}, carry.Card{Leg: leg, Worker: worker}, pieces}
	}
	good := []value{at("0", "a", "w1", "w1", 1, "x"), at("a", "b", "w1", "w1", 1, "xy"), at("b", "c", "w2", "w2", 2, "xy"), at("c", "d", "w1", "w1", 3, "xyz")}
	if wrong := wrongMoves(good); len(wrong) > 0 {
		t.Errorf("nothing is wrong with %+v, and found is %q", good, wrong)
	}
	for why, last := range map[string]value{
		"a push that takes no notice of the last": at("c", "e", "w1", "w1", 4, "xyz"),
		"a push by who has lost the run":          at("d", "e", "w2", "w2", 2, "xyz"),
		"a leg that two have":                     at("d", "e", "w2", "w2", 3, "xyz"),
		"a journal that does not go on":           at("d", "e", "w1", "w1", 3, "xy"),
		"a card of another":                       at("d", "e", "w1", "w2", 4, "xyz"),
	} {
		if wrong := wrongMoves(append(slices.Clone(good), last)); len(wrong) != 1 {
			t.Errorf("%s: found is %q, want one fault", why, wrong)
		}
	}
}
