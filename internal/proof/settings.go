package proof

import (
	"cmp"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Settings say where and how claims are judged.
type Settings struct {
	Mode     string // auto, clean, workspace; none: claims are not judged
	Baseline bool   // run the gates before the first iteration

	Tests   string     // kept, pinned or free: what may become of tests
	Require loop.Level // the least that ends the run; empty: what can be had

	Tree  string          // the work tree
	Plans func() []string // the files in it that are the plan, which is no work; nil: there is none
	Dir   string          // of clean checkouts, outside the work tree
	Run   string          // the folder of the run that they belong to
	Below string          // the folder of the work tree in which gates run
	Setup string          // installs dependencies; empty is guessed, "none" is none
	Copy  []string        // carried in from the work tree
}

// What may become of tests.
const (
	TestsKept   = "kept"   // their old versions pass, or the agent says of each why not
	TestsPinned = "pinned" // their old versions pass
	TestsFree   = "free"   // they are the agent's
)

// Gate is one of the runner's own checks, and when it counts.
type Gate struct {
	gate.Gate
	OnlyClaims bool     // it judges claims, not every attempt
	Pin        []string // files that are as when the run began, where a claim is judged
	NoWorse    bool     // it is enough that no test fails that did not at the baseline
	Review     bool     // it asks an agent: last, and only when all others pass
	Dir        string   // the folder of the work tree in which it runs; empty: where all do
	Line       string   // its command, by which it is known and files are found that it runs; empty: it has none
	Retries    int      // how often it runs again when it says two things of one tree
}

// key names a gate with what it runs: one that runs another command, or in another
// folder, is another.
func (g Gate) key() string {
	if g.Dir == "" {
		return g.Name() + "\n" + g.Line
	}
	return g.Name() + "\n" + g.Line + "\n" + g.Dir
}

// below is the folder in which a gate runs, from the root of the work tree.
func (s Settings) below(g Gate) string { return cmp.Or(g.Dir, s.Below) }
