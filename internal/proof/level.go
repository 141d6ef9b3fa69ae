package proof

import (
	"context"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// mostTests is how many tests of a kind a proof names.
const mostTests = 50

// level makes a proof of the evidence.
func (c *claim) level(ctx context.Context, results []gate.Result, e evidence) *loop.Proof {
	e.touched = c.rooms.touched()
	c.tellFlaky(e.flaky)
	p := &loop.Proof{
		Gates: e.turned, Flaky: e.flaky, Files: few(e.files(), mostTests), Tree: c.at.Tree, Place: place(results),
		Tests: &loop.ProofTests{
			Held: e.held, Fixed: few(e.fixed, mostTests), Added: few(e.added, mostTests), Renamed: few(e.renamed, mostTests),
			Changed: few(e.changed, mostTests),
		},
	}
	p.Level, p.Why = e.level(c.Proof.Tests)
	if p.Level == loop.LevelTestsChanged {
		p.Diff = c.diffOf(ctx, e.files())
	}
	return p
}

// level says how strong the evidence is, and why.
func (e evidence) level(mode string) (loop.Level, string) {
	switch {
	case len(e.changed) > 0 || mode == TestsFree && e.oldChanged():
		return loop.LevelTestsChanged, e.changedWords(mode)
	case e.blind:
		return loop.LevelKept, "the gates pass, and without checkpoints nobody can tell what was changed"
	case len(e.flaky) > 0:
		return loop.LevelKept, fmt.Sprintf("the gates pass, but %s passed and failed on the same tree", text.FirstFew(e.flaky))
	case e.idle:
		return loop.LevelKept, "nothing was changed, and the gates pass"
	case len(e.touched) > 0:
		return loop.LevelKept, fmt.Sprintf("the gates pass, but they changed the files that they judge: %s", text.FirstFew(e.touched))
	case len(e.unsure) > 0:
		return loop.LevelKept, fmt.Sprintf("the gates pass, and nobody could find out whether %s would without the work", text.FirstFew(e.unsure))
	case len(e.unknown) > 0 && !e.discriminates():
		return loop.LevelKept, fmt.Sprintf("the gates pass, and nobody knows whether %s did before", text.FirstFew(e.unknown))
	case len(e.fixed) > 0:
		return loop.LevelProven, fmt.Sprintf("%s failed before the run and %s as %s: %s", text.Plural(len(e.fixed), "test"), text.OneOrMany(len(e.fixed), "passes", "pass"), text.OneOrMany(len(e.fixed), "it was", "they were"), text.FirstFew(e.fixed))
	case len(e.turned) > 0:
		return loop.LevelProven, fmt.Sprintf("%s failed before the run and %s now", text.FirstFew(e.turned), text.OneOrMany(len(e.turned), "passes", "pass"))
	case len(e.added) > 0:
		return loop.LevelProven, fmt.Sprintf("new tests fail without the work and pass with it: %s", text.FirstFew(e.added))
	}
	return loop.LevelKept, "the gates pass as before, and no new test fails without the work"
}

func (e evidence) changedWords(mode string) string {
	if len(e.changed) == 0 {
		return fmt.Sprintf("files with tests were changed, and done.tests is %q: %s", mode, text.FirstFew(e.oldFiles()))
	}
	said := make([]string, len(e.changed))
	for i, one := range e.changed {
		if said[i] = one.String(); one.Why != "" {
			said[i] += " (" + one.Why + ")"
		}
	}
	return "tests do not hold as they were: " + text.FirstFew(said)
}

// place is the weakest place in which a gate judged.
func place(results []gate.Result) loop.Place {
	if slices.ContainsFunc(results, func(r gate.Result) bool { return r.Where == loop.InWorkspace }) {
		return loop.InWorkspace
	}
	return loop.InClean
}

func few[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// mostOfDiff is how much of the difference of tests a proof carries.
const mostOfDiff = 4 << 10

// diffOf is the difference that was made to files, as far as it is short.
func (c *claim) diffOf(ctx context.Context, paths []string) string {
	if c.Store == nil || c.First == nil || len(paths) == 0 || !c.Store.CanRestore() {
		return ""
	}
	diff := Excerpt{Room: mostOfDiff}
	if err := c.Store.Diff(ctx, &diff, *c.First, c.at, checkpoint.DiffOptions{Paths: paths}); err != nil {
		return "" // the names are told, and "refrain diff" has the rest
	}
	return diff.String()
}
