package loop

import "slices"

// Level is how much stands behind a claim of done that the runner took.
type Level string

// The levels, the strongest first.
const (
	// LevelProven: the evidence tells the work from what was there before.
	LevelProven Level = "proven"
	// LevelKept: every gate passes and every known test holds, and nothing
	// tells whether more than that was done.
	LevelKept Level = "kept"
	// LevelTestsChanged: old tests fail, are skipped or are gone, and the agent said of
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

// Level is how much stands behind an end, empty when it is none of done. Journals
// of earlier versions say only whether it was proven.
func (f *RunFinished) Level() Level {
	switch {
	case f.State != Done:
		return ""
	case f.Proof != nil:
		return f.Proof.Level
	case f.Proven:
		return LevelProven
	}
	return LevelClaimed
}

// Proof is what stands behind a claim that was taken.
type Proof struct {
	Level Level `json:"level"`
	// Why says in one sentence what the level rests on, or what a higher one
	// lacks.
	Why   string      `json:"why"`
	Tests *ProofTests `json:"tests,omitempty"`
	Gates []string    `json:"gates,omitempty"`           // that were red before the run, and are green
	Flaky []string    `json:"flaky,omitempty"`           // gates that were red and green on one tree
	Files []string    `json:"files,omitempty"`           // that decide what is tested, and were changed
	Diff  string      `json:"diff,omitempty"`            // of the tests that changed, as far as it is short
	Tree  string      `json:"tree,omitempty" redact:"-"` // what was judged
	Place Place       `json:"place,omitempty"`           // where: in the work tree if one gate was
}

// ProofTests are the tests behind a proof, by their names.
type ProofTests struct {
	Held    int          `json:"held"`              // known tests that pass as they were
	Fixed   []string     `json:"fixed,omitempty"`   // failed before the run, and pass as they were
	Added   []string     `json:"added,omitempty"`   // new, and fail without the work
	Renamed []string     `json:"renamed,omitempty"` // pass in their old version, and have other names now
	Changed []TestChange `json:"changed,omitempty"` // fail in their old version, are skipped or gone
}

// TestChange is an old test that fails, is skipped or is gone.
type TestChange struct {
	Name string `json:"name"`
	What string `json:"what"`          // one of the words below
	Why  string `json:"why,omitempty"` // in the agent's words; empty: it gave none
}

// What can have become of a test.
const (
	TestGone     = "gone"     // it is there no more
	TestSkipped  = "skipped"  // it is skipped now
	TestWeakened = "weakened" // it passes now, and its old version fails
	TestFails    = "fails"    // it fails in its old version
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
		said += " passes now, but its old version fails"
	case TestFails:
		said += " fails in its old version"
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
