package loop

import "slices"

// Best is how far the tests have come: the most that ever passed, and the
// fewest that ever failed. They are kept apart, for a run that goes back and
// forth between two results must not look better at every turn.
type Best struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
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

// Better tells whether more tests passed, or fewer failed, than ever before.
func (s State) Better(t *Tests) bool {
	if t == nil || t.Total == 0 {
		return false
	}
	return s.Best == nil || t.Passed > s.Best.Passed || t.Failed < s.Best.Failed
}

// Undone tells whether an attempt with outcome o is put back, for it left the
// gates or the tests worse than they were.
func (s State) Undone(o Outcome) bool {
	return s.Counting.Ratchet && s.High != nil && s.High.Checkpoint != "" && s.High.above(o)
}

// above tells whether o is worse: a gate is red that was green, more tests
// fail, or fewer pass. What was not looked at is not worse.
func (h *High) above(o Outcome) bool {
	for _, g := range o.Gates {
		if !g.OK && slices.Contains(h.Green, g.Name) {
			return true
		}
	}
	if h.Tests == nil || o.Tests == nil || !o.counted() {
		return false
	}
	return o.Tests.Failed > h.Tests.Failed || o.Tests.Passed < h.Tests.Passed
}

// counted tells whether gates of the runner's own counted the tests.
func (o Outcome) counted() bool {
	return o.Tests != nil && slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Tests > 0 })
}

// begin takes in the baseline.
func (s State) begin(b *RunBaseline) State {
	s.Proof, s.Known = b.Proof, nil
	o := Outcome{}
	for _, g := range b.Gates {
		o.Gates = append(o.Gates, g.Gate)
		o.Tests = o.Tests.Plus(g.Tests)
		if !g.Gate.OK {
			s.Known = append(s.Known, KnownRed{Name: g.Gate.Name, Tests: g.Tests.brief(mostKnown)})
		}
	}
	s.Seen = s.history(o).seen
	s = s.raise(o.Tests).addRan(o)
	s.High = &High{Checkpoint: b.Checkpoint, Green: o.green(), Tests: bestOf(o.Tests)}
	return s
}

// addTests keeps the streak of tests that fail and get no better, and the best.
func (s State) addTests(o Outcome) State {
	if o.Tests == nil || o.Tests.Total == 0 {
		return s
	}
	if o.Tests.Failed == 0 || s.Better(o.Tests) {
		s.Streaks.TestFailures = 0
	} else {
		s.Streaks.TestFailures++
	}
	return s
}

// addGates keeps what the gates of an attempt showed.
func (s State) addGates(o Outcome) State {
	if !s.Undone(o) && len(o.Gates) > 0 {
		s.High = &High{Iteration: s.Totals.Iterations, Checkpoint: o.Checkpoint, Green: o.green(), Tests: bestOf(o.Tests)}
	}
	s.Seen = s.history(o).seen
	s = s.raise(o.Tests).addRan(o)
	green := o.green()
	s.Known = slices.DeleteFunc(slices.Clone(s.Known), func(k KnownRed) bool { return slices.Contains(green, k.Name) })
	return s
}

// raise takes the better of two counts.
func (s State) raise(t *Tests) State {
	if !s.Better(t) {
		return s
	}
	best := *bestOf(t)
	if s.Best != nil {
		best = Best{Passed: max(best.Passed, s.Best.Passed), Failed: min(best.Failed, s.Best.Failed)}
	}
	s.Best = &best
	return s
}

func bestOf(t *Tests) *Best {
	if t == nil || t.Total == 0 {
		return nil
	}
	return &Best{Passed: t.Passed, Failed: t.Failed}
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
