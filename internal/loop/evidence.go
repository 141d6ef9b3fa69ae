package loop

import (
	"slices"
)

// Evidence is what gates and tests have shown so far.
type Evidence struct {
	Best  *Best      `json:"best,omitempty"`   // the best test counts so far
	Known []KnownRed `json:"known,omitempty"`  // gates that were red before the first iteration, and have not passed since
	Seen  []SeenTest `json:"seen,omitempty"`   // tests that have failed
	Ran   []GateRan  `json:"ran,omitempty"`    // how many tests each gate has run
	Proof Place      `json:"proof,omitempty"`  // where gates judge a claim
	Tied  []string   `json:"tied,omitempty"`   // gates that judge claims in the work tree all the same
	SetUp bool       `json:"set_up,omitempty"` // the clean checkout could be set up at the baseline

	Looks     []Look          `json:"looks,omitempty"`     // what gates said of the last trees
	Flaky     []string        `json:"flaky,omitempty"`     // gates that were red and green on one tree
	Explained []TestExplained `json:"explained,omitempty"` // why agents changed tests
}

// Best is how far the tests have come: the most that ever passed, and the
// fewest that ever failed. They are kept apart, for a run that goes back and
// forth between two results must not look better at every turn.
type Best struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	Total  int `json:"total"` // the most that there were
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

// maxKnown is how many failing tests of a known red gate are kept by name, so
// that the state stays small; with more, only their number counts.
const maxKnown = 100

// begin takes in the baseline. The tree that it saw is the one that an iteration
// which makes things worse is put back to.
func (s State) begin(b *RunBaseline) State {
	e := s.Evidence
	e.Proof, e.Known, e.Tied, e.SetUp = b.Proof, nil, nil, b.SetUp
	o := Outcome{}
	for _, g := range b.Gates {
		o.Gates = append(o.Gates, g.Gate)
		o.Tests = o.Tests.Plus(g.Tests)
		if b.Proof == InClean && g.Judged == InWorkspace {
			e.Tied = append(e.Tied, g.Gate.Name)
		}
		if !g.Gate.OK {
			e.Known = append(e.Known, KnownRed{Name: g.Gate.Name, Tests: g.Tests.brief(maxKnown)})
		}
	}
	e.Seen = e.history(o).seen
	s.Evidence = e.raise(o.Tests).addRan(o)
	s.BestTree = &BestTree{Checkpoint: b.Checkpoint, Green: o.green(), Tests: o.best()}
	return s
}

// add keeps what the gates of an iteration showed that was not undone. Tests
// whose claim is doubted are no credit.
func (e Evidence) add(o Outcome) Evidence {
	e.Seen = e.history(o).seen
	if !o.Claim.Doubted() {
		e = e.raise(o.Tests)
	}
	e = e.addRan(o)
	e.Known = slices.DeleteFunc(slices.Clone(e.Known), func(k KnownRed) bool {
		return slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Name == k.Name && g.OK && !g.Known })
	})
	return e
}

// raise takes the better of two counts.
func (e Evidence) raise(t *Tests) Evidence {
	best := bestOf(t)
	if best == nil {
		return e
	}
	if e.Best != nil {
		best = &Best{
			Passed: max(best.Passed, e.Best.Passed), Failed: min(best.Failed, e.Best.Failed), Total: max(best.Total, e.Best.Total),
		}
	}
	e.Best = best
	return e
}

// addRan keeps the most tests that each gate has run.
func (e Evidence) addRan(o Outcome) Evidence {
	ran := slices.Clone(e.Ran)
	for _, g := range o.Gates {
		i := slices.IndexFunc(ran, func(r GateRan) bool { return r.Name == g.Name })
		switch {
		case i < 0 && g.Tests > 0:
			ran = append(ran, GateRan{g.Name, g.Tests})
		case i >= 0:
			ran[i].Tests = max(ran[i].Tests, g.Tests)
		}
	}
	e.Ran = ran
	return e
}

// Expected is how many tests a gate has been seen to run.
func (e Evidence) Expected(gate string) int {
	for _, r := range e.Ran {
		if r.Name == gate {
			return r.Tests
		}
	}
	return 0
}

// Better tells whether more tests passed, or fewer failed, than ever before. The
// first tests that are seen are not better than any, and tests that are gone do
// not fail any more, which is no credit either.
func (e Evidence) Better(t *Tests) bool {
	if t == nil || t.Total == 0 || e.Best == nil {
		return false
	}
	return t.Passed > e.Best.Passed || t.Failed < e.Best.Failed && t.Total >= e.Best.Total
}

// testFailures is the streak of iterations whose tests fail and get no better.
func (e Evidence) testFailures(streak int, o Outcome) int {
	switch {
	case o.Tests == nil, o.Tests.Total == 0, o.Claim.Doubted():
		return streak
	case o.Tests.Failed == 0, e.Best == nil, e.Better(o.Tests), o.tolerated():
		return 0
	}
	return streak + 1
}

// tolerated tells whether failing tests are those of gates that pass all the
// same.
func (o Outcome) tolerated() bool {
	return o.counted() && !slices.ContainsFunc(o.Gates, func(g Gate) bool { return !g.OK })
}

// counted tells whether gates of the runner's own counted the tests.
func (o Outcome) counted() bool {
	return o.Tests != nil && slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Tests > 0 })
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

// Look is what a gate said of a tree.
type Look struct {
	Gate  string `json:"gate"`
	Place Place  `json:"place"`
	Tree  string `json:"tree" redact:"-"` // the beginning of its name
	OK    bool   `json:"ok"`
}

// maxLooks bounds what is remembered of gates: agents come back to the last
// trees, not to the first.
const (
	maxLooks = 32
	maxFlaky = 20
	treeName = 12
)

// look remembers what a gate said, and whether it said otherwise of the same
// tree before.
func (e Evidence) look(g Gate) Evidence {
	if g.Tree == "" || g.Exit == nil && !g.OK { // what did not come to its end says nothing
		return e
	}
	now := Look{Gate: g.Name, Place: g.Where, Tree: cut(g.Tree, treeName), OK: g.OK}
	if e.Said(g.Name, g.Where, g.Tree, !g.OK) && !slices.Contains(e.Flaky, g.Name) {
		e.Flaky = lastN(append(slices.Clip(e.Flaky), g.Name), maxFlaky)
	}
	list := slices.DeleteFunc(slices.Clone(e.Looks), func(l Look) bool { return l == now })
	e.Looks = lastN(append(list, now), maxLooks)
	return e
}

// Said tells whether a gate has said so of a tree.
func (e Evidence) Said(gate string, where Place, tree string, ok bool) bool {
	return tree != "" && slices.Contains(e.Looks, Look{Gate: gate, Place: where, Tree: cut(tree, treeName), OK: ok})
}

// forgetLooks is when another gate, or another place, answers from now on.
func (e Evidence) forgetLooks() Evidence {
	e.Looks, e.Flaky = nil, nil
	return e
}

// maxExplained bounds the reasons that are kept.
const maxExplained = 200

// explain keeps the last reason for each name.
func (e Evidence) explain(p *TestExplained) Evidence {
	list := slices.DeleteFunc(slices.Clone(e.Explained), func(t TestExplained) bool { return t.Name == p.Name })
	e.Explained = lastN(append(list, TestExplained{Name: brief(p.Name), Why: brief(p.Why)}), maxExplained)
	return e
}
