package loop

import "slices"

// SeenTest is a test that has failed at least once.
type SeenTest struct {
	Name    string `json:"name"`
	Failing bool   `json:"failing,omitempty"` // the last time it was seen
	Turns   int    `json:"turns,omitempty"`   // how often it went from one to the other
}

// maxSeen bounds the history of single tests. Those that have not failed for
// the longest time are forgotten first.
const maxSeen = 100

// flakyTurns is how often a test goes back and forth before it is called
// flaky: failing, passing and failing again may be one mistake made twice.
const flakyTurns = 3

// testHistory is what an attempt says of single tests, and what is then known.
type testHistory struct {
	newly, fixed, flaky []string
	seen                []SeenTest
}

// Compare notes in t which tests fail that did not before, which no longer do,
// and which come and go. Only the runner's own gates are compared: an agent may
// run a part of the tests, and those that it left out are not fixed.
func (e Evidence) Compare(o *Outcome) {
	if !o.counted() {
		return
	}
	h := e.history(*o)
	tests := *o.Tests
	tests.NewlyFailing, tests.NewlyFixed, tests.Flaky = h.newly, h.fixed, h.flaky
	o.Tests = &tests
}

func (e Evidence) history(o Outcome) testHistory {
	h := testHistory{seen: e.Seen}
	if !o.counted() {
		return h
	}
	failing := o.Tests.Failing
	// One that is not named may fail all the same, and one that did not run too.
	all := len(failing) == o.Tests.Failed && o.Tests.Passed+o.Tests.Failed >= e.ranBefore(o)
	var gone, kept []SeenTest
	for _, t := range e.Seen {
		now := slices.Contains(failing, t.Name)
		switch {
		case now && !t.Failing:
			h.newly = append(h.newly, t.Name)
			t.Failing, t.Turns = true, t.Turns+1
		case !now && t.Failing && all:
			h.fixed = append(h.fixed, t.Name)
			t.Failing, t.Turns = false, t.Turns+1
		}
		if t.Turns >= flakyTurns {
			h.flaky = append(h.flaky, t.Name)
		}
		if t.Failing {
			kept = append(kept, t)
		} else {
			gone = append(gone, t)
		}
	}
	for _, name := range failing {
		if !slices.ContainsFunc(e.Seen, func(t SeenTest) bool { return t.Name == name }) {
			if e.Best != nil { // else nothing was known before
				h.newly = append(h.newly, name)
			}
			kept = append(kept, SeenTest{Name: name, Failing: true})
		}
	}
	h.seen = lastN(append(gone, kept...), maxSeen)
	return h
}

// ranBefore is how many tests the gates of an outcome have been seen to run.
func (e Evidence) ranBefore(o Outcome) int {
	n := 0
	for _, g := range o.Gates {
		n += e.Expected(g.Name)
	}
	return n
}
