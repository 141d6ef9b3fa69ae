package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// evidence is what green gates tell of a claim.
type evidence struct {
	changes
	blind bool // nobody can tell what was changed
	idle  bool // nothing was changed

	turned  []string // gates that were red and are green
	flaky   []string // gates that were red and green on one tree
	touched []string // files that gates changed in what they judge
	unknown []string // gates of which nobody knows how they were before
	unsure  []string // gates that turned, and nobody could find out why
	comparison
	added   []string      // new tests that fail without the work
	addedBy []string      // the gates that run them
	old     []gate.Result // gates that are red with the tests as they were
}

// weigh says what stands behind a claim whose gates all pass: one look after the
// other, until one of them says what the claim lacks.
func (c *claim) weigh(ctx context.Context, r Ruling) Ruling {
	var e evidence
	for _, look := range []func(context.Context, *Ruling, *evidence) want{
		c.outside, c.whatChanged, c.before, c.steady, c.compareAll, c.unexplained, c.newOnFirst, c.confirm, c.enough,
	} {
		if lacking := look(ctx, &r, &e); lacking.why != "" || ctx.Err() != nil {
			r.Proof, r.Lacks, r.Why = nil, lacking.what, lacking.why
			return r
		}
	}
	c.learnAll(slices.DeleteFunc(slices.Clone(r.Results), func(one gate.Result) bool { // those were learned from
		return one.Where == loop.InWorkspace && among(c.found, c.named(one.Name))
	}))
	return r
}

// want is what a claim lacks: a word that stays the same as long as the want does,
// and why in words. Without these it lacks nothing.
type want struct{ what, why string }

// cannot is the want of something that could not be found out.
func cannot(err error) want {
	if err == nil {
		return want{}
	}
	return want{lacksSight, err.Error()}
}

// What a claim can lack, beside a level.
const (
	lacksTests  = loop.LacksTests + " "
	lacksWork   = "work"
	lacksSight  = "sight" // what was changed could not be found out
	lacksSteady = "steady"
	lacksLevel  = "level "
	lacksAround = "around"
	lacksLinks  = "links"
	lacksPaths  = "paths"
)

// whatChanged finds out what agents did since the run began.
func (c *claim) whatChanged(ctx context.Context, r *Ruling, e *evidence) want {
	var err error
	if e.changes, err = c.changes(ctx, c.at); errors.Is(err, errNoFirst) {
		e.blind, err = true, nil
	}
	e.idle = !e.blind && len(e.work) == 0
	r.doubted = e.blind || e.oldChanged()
	if err == nil && e.idle && e.plan {
		return want{lacksWork, "nothing but the plan was changed since the run began; do the work, then claim"}
	}
	return cannot(err)
}

// before finds out how each gate was before the first iteration, and which of
// them turned. Of one that nobody has seen then it is found out now.
func (c *claim) before(ctx context.Context, ruling *Ruling, e *evidence) want {
	for _, r := range ruling.Results {
		g := c.named(r.Name)
		if g.Review {
			continue
		}
		b, ok := c.known.Before[g.key()]
		if !ok && !e.blind && c.where(c.state, g) == loop.InClean && ctx.Err() == nil {
			var first gate.Result
			if first, ok = c.variant(ctx, g, c.First.Tree, "before"); ok {
				b = before(first, nil)
				c.note(g, b)
			}
		}
		switch {
		case !ok:
			e.unknown = append(e.unknown, r.Name)
		case !b.OK && !b.Empty && passesByItself(r):
			e.turned = append(e.turned, r.Name)
		}
	}
	return want{}
}

// discriminates tells whether something tells the work from what was there.
func (e evidence) discriminates() bool {
	return len(e.fixed)+len(e.added)+len(e.turned) > 0
}

// enough makes a proof of the evidence, and holds it against the least that ends
// the run.
func (c *claim) enough(ctx context.Context, r *Ruling, e *evidence) want {
	r.Proof = c.level(ctx, r.Results, *e)
	if least := c.Proof.least(); !r.Proof.Level.AtLeast(least) {
		return want{lacksLevel + string(r.Proof.Level), fmt.Sprintf("done.require is %q, and %s", least, r.Proof.Why)}
	}
	return want{}
}

// maxTests is how many tests of a kind a proof names.
const maxTests = 50

// level makes a proof of the evidence.
func (c *claim) level(ctx context.Context, results []gate.Result, e evidence) *loop.Proof {
	e.touched = c.rooms.touched()
	c.tellFlaky(e.flaky)
	p := &loop.Proof{
		Gates: e.turned, Flaky: e.flaky, Files: few(e.files(), maxTests), Tree: c.at.Tree, Place: place(results),
		Tests: &loop.ProofTests{
			Held: e.held, Fixed: few(e.fixed, maxTests), Added: few(e.added, maxTests), Renamed: few(e.renamed, maxTests),
			Changed: few(e.changed, maxTests),
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
	return "tests were changed: " + text.FirstFew(said)
}

// place is the weakest place in which a gate judged.
func place(results []gate.Result) loop.Place {
	if slices.ContainsFunc(results, func(r gate.Result) bool { return r.Where == loop.InWorkspace }) {
		return loop.InWorkspace
	}
	return loop.InClean
}

func few[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// maxOfDiff is how much of the difference of tests a proof carries.
const maxOfDiff = 4 << 10

// diffOf is the difference that was made to files, as far as it is short.
func (c *claim) diffOf(ctx context.Context, paths []string) string {
	if c.Store == nil || c.First == nil || len(paths) == 0 || !c.Store.CanRestore() {
		return ""
	}
	diff := Excerpt{Room: maxOfDiff}
	if err := c.Store.Diff(ctx, &diff, *c.First, c.at, checkpoint.DiffOptions{Paths: paths}); err != nil {
		return "" // the names are told, and "refrain diff" has the rest
	}
	return diff.String()
}

// tellFlaky warns of gates that are not steady.
func (c *claim) tellFlaky(names []string) {
	for _, name := range names {
		c.Tell(&loop.Warning{
			Text: fmt.Sprintf("gate %s is flaky: it passed and failed on the same tree, so it proves nothing", name),
			Hint: "make its tests steady; it was run again and passed each time",
			Key:  "flaky." + name,
		})
	}
}

// least is the level that ends the run. Where gates judge claims, that is all but
// the agent's bare word: a refactoring or a document is done when nothing broke,
// and a person reads on the card what became of tests.
func (s Settings) least() loop.Level {
	if s.Require != "" {
		return s.Require
	}
	return loop.LevelTestsChanged
}
