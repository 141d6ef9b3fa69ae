package loop

import (
	"slices"

	"github.com/refrain-loop/refrain/internal/text"
)

// Level is how much stands behind a claim of done that the runner took.
type Level string

// The levels, the strongest first.
const (
	// LevelProven: the evidence tells the work from what was there before.
	LevelProven Level = "proven"
	// LevelKept: every gate passes and every known test holds, and nothing
	// tells whether more than that was done.
	LevelKept Level = "kept"
	// LevelTestsChanged: tests do not hold as they were, and the agent said of
	// each why that is meant.
	LevelTestsChanged Level = "tests_changed"
	// LevelClaimed: nothing but the agent's word.
	LevelClaimed Level = "claimed"
)

// Levels lists them, the strongest first.
var Levels = []Level{LevelProven, LevelKept, LevelTestsChanged, LevelClaimed}

// AtLeast tells whether a level is as strong as another.
func (l Level) AtLeast(other Level) bool {
	return slices.Index(Levels, l) >= 0 && slices.Index(Levels, l) <= slices.Index(Levels, other)
}

// Proof is what stands behind a claim that was taken.
type Proof struct {
	Level Level `json:"level"`
	// Why says in one sentence what the level rests on, or what a higher one
	// lacks.
	Why   string      `json:"why"`
	Tests *ProofTests `json:"tests,omitempty"`
	Gates []string    `json:"gates,omitempty"` // that were red before the run, and are green
	Flaky []string    `json:"flaky,omitempty"` // gates that were red and green on one tree
	Files []string    `json:"files,omitempty"` // that decide what is tested, and were changed
	Diff  string      `json:"diff,omitempty"`  // of the tests that changed, as far as it is short
	Tree  string      `json:"tree,omitempty"`  // what was judged
	Place Place       `json:"place,omitempty"` // where: in the work tree if one gate was
}

// ProofTests are the tests behind a proof, by their names.
type ProofTests struct {
	Held    int          `json:"held"`              // known tests that pass as they were
	Fixed   []string     `json:"fixed,omitempty"`   // failed before the run, and pass as they were
	Added   []string     `json:"added,omitempty"`   // new, and fail without the work
	Renamed []string     `json:"renamed,omitempty"` // hold as they were, and have other names now
	Changed []TestChange `json:"changed,omitempty"` // do not hold as they were
}

// TestChange is a test that does not hold as it was.
type TestChange struct {
	Name string `json:"name"`
	What string `json:"what"`          // one of the words below
	Why  string `json:"why,omitempty"` // in the agent's words; empty: it gave none
}

// What can have become of a test.
const (
	TestGone     = "gone"     // it is there no more
	TestSkipped  = "skipped"  // it is skipped now
	TestWeakened = "weakened" // it passes now, and fails as it was
	TestFails    = "fails"    // it fails as it was
	TestDecides  = "changed"  // a file that decides what is tested
)

func (c TestChange) String() string {
	said := c.Name
	switch c.What {
	case TestGone:
		said += " is gone"
	case TestSkipped:
		said += " is skipped"
	case TestWeakened:
		said += " passes now and fails as it was"
	case TestFails:
		said += " fails as it was"
	case TestDecides:
		said += " was changed"
	}
	return said
}

// TestExplained is the agent's reason for changing a test.
type TestExplained struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

func (*TestExplained) Type() Type { return "test.explained" }

// maxExplained bounds the reasons that are kept.
const maxExplained = 200

// explain keeps the last reason for each name.
func (s State) explain(p *TestExplained) State {
	list := slices.DeleteFunc(slices.Clone(s.Explained), func(e TestExplained) bool { return e.Name == p.Name })
	s.Explained = lastN(append(list, TestExplained{Name: brief(p.Name), Why: brief(p.Why)}), maxExplained)
	return s
}

// Lacking is what claims were refused for again and again.
type Lacking struct {
	What  string `json:"what,omitempty"`
	Times int    `json:"times,omitempty"`
}

// MostRefusals is how often a claim is refused for the same want of evidence:
// an agent that did not mend it after two tries will not at the third.
const MostRefusals = 2

// lack counts refusals for one want. Those for red gates say nothing of it.
func (s State) lack(c *Claim) State {
	switch {
	case c == nil || c.Kind != ClaimDone:
	case !c.Refused():
		s.Lacking = Lacking{}
	case c.Lacks == "":
	case c.Lacks == s.Lacking.What:
		s.Lacking.Times++
	default:
		s.Lacking = Lacking{What: c.Lacks, Times: 1}
	}
	return s
}

// Doubted tells whether the claim was refused for what became of tests: then
// their numbers are no credit.
func (c *Claim) Doubted() bool {
	return c != nil && begins(c.Lacks, LacksTests)
}

// LacksTests begins what a claim lacks whose tests do not hold.
const LacksTests = "tests"

// Look is what a gate said of a tree.
type Look struct {
	Gate  string `json:"gate"`
	Place Place  `json:"place"`
	Tree  string `json:"tree"` // the beginning of its name
	OK    bool   `json:"ok"`
}

// mostLooks bounds what is remembered of gates: agents come back to the last
// trees, not to the first.
const (
	mostLooks = 32
	mostFlaky = 20
	treeName  = 12
)

// look remembers what a gate said, and whether it said otherwise of the same
// tree before.
func (s State) look(g Gate) State {
	if g.Tree == "" || g.Exit == nil && !g.OK { // what did not come to its end says nothing
		return s
	}
	now := Look{Gate: g.Name, Place: g.Where, Tree: text.Cut(g.Tree, treeName), OK: g.OK}
	if s.Said(g.Name, g.Where, g.Tree, !g.OK) && !slices.Contains(s.Flaky, g.Name) {
		s.Flaky = lastN(append(slices.Clip(s.Flaky), g.Name), mostFlaky)
	}
	list := slices.DeleteFunc(slices.Clone(s.Looks), func(l Look) bool { return l == now })
	s.Looks = lastN(append(list, now), mostLooks)
	return s
}

// Said tells whether a gate has said so of a tree.
func (s State) Said(gate string, where Place, tree string, ok bool) bool {
	return tree != "" && slices.Contains(s.Looks, Look{Gate: gate, Place: where, Tree: text.Cut(tree, treeName), OK: ok})
}
