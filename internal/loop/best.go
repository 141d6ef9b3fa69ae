package loop

import (
	"fmt"
	"slices"
)

// Best is how far the tests have come: the most that ever passed, and the
// fewest that ever failed. They are kept apart, for a run that goes back and
// forth between two results must not look better at every turn.
type Best struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Total  int `json:"total"` // the most that there were
}

// High is the iteration that a worse one is undone to.
type High struct {
	Iteration  int      `json:"iteration"` // 0 is before the first
	Checkpoint string   `json:"checkpoint,omitempty"`
	Green      []string `json:"green,omitempty"` // the gates that passed
	Tests      *Best    `json:"tests,omitempty"`
}

// KnownRed is a gate that was red before the first iteration.
type KnownRed struct {
	Name  string `json:"name"`
	Tests *Tests `json:"tests,omitempty"`
}

// GateRan is the most tests that a gate has run: one that runs none any more
// has been disarmed.
type GateRan struct {
	Name  string `json:"name"`
	Tests int    `json:"tests"`
}

// Expected is how many tests a gate has been seen to run.
func (s State) Expected(gate string) int {
	for _, r := range s.Ran {
		if r.Name == gate {
			return r.Tests
		}
	}
	return 0
}

// addRan keeps the most tests that each gate has run.
func (s State) addRan(o Outcome) State {
	ran := slices.Clone(s.Ran)
	for _, g := range o.Gates {
		i := slices.IndexFunc(ran, func(r GateRan) bool { return r.Name == g.Name })
		switch {
		case i < 0 && g.Tests > 0:
			ran = append(ran, GateRan{g.Name, g.Tests})
		case i >= 0:
			ran[i].Tests = max(ran[i].Tests, g.Tests)
		}
	}
	s.Ran = ran
	return s
}

// mostKnown is how many failing tests of a known red gate are kept by name, so
// that the state stays small; with more, only their number counts.
const mostKnown = 100

// Better tells whether more tests passed, or fewer failed, than ever before. The
// first tests that are seen are not better than any, and tests that are gone do
// not fail any more, which is no credit either.
func (s State) Better(t *Tests) bool {
	if t == nil || t.Total == 0 || s.Best == nil {
		return false
	}
	return t.Passed > s.Best.Passed || t.Failed < s.Best.Failed && t.Total >= s.Best.Total
}

// Undone tells whether an attempt with outcome o is put back, for it left the
// gates or the tests worse than they were.
func (s State) Undone(o Outcome) bool {
	return s.Counting.Ratchet && s.High != nil && s.High.Checkpoint != "" && s.Worse(o) != ""
}

// Worse says in what an attempt falls behind the best, or nothing: a gate is red
// that was green, or counts no tests any more, more tests fail, or fewer pass.
// What was not looked at is not worse.
func (s State) Worse(o Outcome) string {
	h := s.High
	if h == nil || o.Person != "" {
		return ""
	}
	for _, g := range o.Gates {
		switch {
		case g.OK:
		case slices.Contains(h.Green, g.Name):
			return fmt.Sprintf("gate %s failed (%s), and passed before", g.Name, g.Why)
		case g.Tests == 0 && s.Expected(g.Name) > 0:
			return fmt.Sprintf("gate %s failed (%s), and ran %d tests before", g.Name, g.Why, s.Expected(g.Name))
		}
	}
	switch t := o.Tests; {
	case h.Tests == nil || !o.counted():
		return ""
	case t.Failed > h.Tests.Failed:
		return fmt.Sprintf("%d tests failed, and %d did before", t.Failed, h.Tests.Failed)
	case t.Passed < h.Tests.Passed:
		return fmt.Sprintf("%d tests passed, and %d did before", t.Passed, h.Tests.Passed)
	}
	return ""
}

// counted tells whether gates of the runner's own counted the tests.
func (o Outcome) counted() bool {
	return o.Tests != nil && slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Tests > 0 })
}

// begin takes in the baseline.
func (s State) begin(b *RunBaseline) State {
	s.Proof, s.Known, s.Tied = b.Proof, nil, nil
	o := Outcome{}
	for _, g := range b.Gates {
		o.Gates = append(o.Gates, g.Gate)
		o.Tests = o.Tests.Plus(g.Tests)
		if b.Proof == InClean && g.Judged == InWorkspace {
			s.Tied = append(s.Tied, g.Gate.Name)
		}
		if !g.Gate.OK {
			s.Known = append(s.Known, KnownRed{Name: g.Gate.Name, Tests: g.Tests.brief(mostKnown)})
		}
	}
	s.Seen = s.history(o).seen
	s = s.raise(o.Tests).addRan(o)
	s.High = &High{Checkpoint: b.Checkpoint, Green: o.green(), Tests: o.best()}
	s.SetUp = b.SetUp
	return s
}

// addTests keeps the streak of tests that fail and get no better, and the best.
func (s State) addTests(o Outcome) State {
	if o.Tests == nil || o.Tests.Total == 0 {
		return s
	}
	switch {
	case o.Claim.Doubted():
	case o.Tests.Failed == 0, s.Best == nil, s.Better(o.Tests), o.tolerated():
		s.Streaks.TestFailures = 0
	default:
		s.Streaks.TestFailures++
	}
	return s
}

// addGates keeps what the gates of an iteration showed. One that was undone
// leaves nothing behind.
func (s State) addGates(o Outcome, undone bool) State {
	if undone {
		return s
	}
	if len(o.Gates) > 0 {
		s.High = s.High.next(s.Totals.Iterations, o)
	}
	s.Seen = s.history(o).seen
	if !o.Claim.Doubted() {
		s = s.raise(o.Tests)
	}
	s = s.addRan(o)
	s.Known = slices.DeleteFunc(slices.Clone(s.Known), func(k KnownRed) bool {
		return slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Name == k.Name && g.OK && !g.Known })
	})
	return s
}

// tolerated tells whether failing tests are those of gates that pass all the
// same.
func (o Outcome) tolerated() bool {
	return o.counted() && !slices.ContainsFunc(o.Gates, func(g Gate) bool { return !g.OK })
}

// raise takes the better of two counts.
func (s State) raise(t *Tests) State {
	best := bestOf(t)
	if best == nil {
		return s
	}
	if s.Best != nil {
		best = &Best{
			Passed: max(best.Passed, s.Best.Passed), Failed: min(best.Failed, s.Best.Failed), Total: max(best.Total, s.Best.Total),
		}
	}
	s.Best = best
	return s
}

// next is the best after an iteration that was no worse. What it did not look at
// is as it was.
func (h *High) next(iteration int, o Outcome) *High {
	now := &High{Iteration: iteration, Checkpoint: o.Checkpoint, Green: o.green(), Tests: o.best()}
	if h == nil {
		return now
	}
	if now.Tests == nil {
		now.Tests = h.Tests
	}
	for _, name := range h.Green {
		if !slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Name == name }) {
			now.Green = append(now.Green, name)
		}
	}
	return now
}

// best is what the runner's own gates counted.
func (o Outcome) best() *Best {
	if !o.counted() {
		return nil
	}
	return bestOf(o.Tests)
}

func bestOf(t *Tests) *Best {
	if t == nil || t.Total == 0 {
		return nil
	}
	return &Best{Passed: t.Passed, Failed: t.Failed, Total: t.Total}
}

// green is the names of the gates that passed.
func (o Outcome) green() []string {
	var names []string
	for _, g := range o.Gates {
		if g.OK {
			names = append(names, g.Name)
		}
	}
	return names
}

// Plus adds the tests of two gates up.
func (t *Tests) Plus(more *Tests) *Tests {
	if t == nil || more == nil {
		if t == nil {
			t = more
		}
		return t
	}
	sum := *t
	if more.Framework != "" && more.Framework != t.Framework {
		sum.Framework = t.Framework + "+" + more.Framework
	}
	sum.Total, sum.Passed = t.Total+more.Total, t.Passed+more.Passed
	sum.Failed, sum.Skipped = t.Failed+more.Failed, t.Skipped+more.Skipped
	sum.Failing = slices.Concat(t.Failing, more.Failing)
	return &sum
}

// brief is the tests with at most n failing ones by name.
func (t *Tests) brief(n int) *Tests {
	if t == nil {
		return nil
	}
	short := *t
	short.Failing = short.Failing[:min(n, len(short.Failing))]
	return &short
}
