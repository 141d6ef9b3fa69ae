package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
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

// weigh says what stands behind a claim whose gates all pass.
func (c *claim) weigh(ctx context.Context, r Ruling) Ruling {
	if lacks, why := c.outside(ctx); why != "" {
		return r.refuse(lacks, why)
	}
	var e evidence
	var err error
	if e.changes, err = c.changes(ctx, c.at); errors.Is(err, errNoFirst) {
		e.blind = true
	} else if err != nil {
		return r.refuse(lacksSight, err.Error())
	}
	e.idle = !e.blind && len(e.work) == 0
	if e.idle && e.plan {
		return r.refuse(lacksWork, "nothing but the plan was changed since the run began; do the work, then claim")
	}
	r.doubted = e.blind || e.oldChanged()
	c.before(ctx, r.Results, &e)
	if unsteady := c.steady(ctx, r.Results, &e); unsteady != "" && ctx.Err() == nil {
		return r.refuse(lacksSteady, unsteady)
	}
	if ctx.Err() == nil {
		err = c.compareAll(ctx, r.Results, &e)
	}
	if ctx.Err() != nil {
		r.Interrupted = true
		return r
	}
	if err != nil {
		return r.refuse(lacksSight, err.Error())
	}
	r.held = e.fixed
	if missing := e.unexplained(c.Proof.Tests); len(missing) > 0 {
		r.Old = e.old
		return r.refuse(lacksTests+fingerprint(missing), c.request(missing))
	}
	if !e.discriminates() && len(e.changed) == 0 {
		if err := c.newOnFirst(ctx, r.Results, &e); err != nil {
			return r.refuse(lacksSight, err.Error())
		}
	}
	if e.discriminates() && len(e.changed) == 0 {
		if unsteady := c.confirm(ctx, r.Results, &e); unsteady != "" && ctx.Err() == nil {
			return r.refuse(lacksSteady, unsteady)
		}
	}
	if ctx.Err() != nil {
		r.Interrupted = true
		return r
	}
	r.Proof = c.level(ctx, r.Results, e)
	if least := c.Proof.least(); !r.Proof.Level.AtLeast(least) {
		return r.refuse(lacksLevel+string(r.Proof.Level), fmt.Sprintf("done.require is %q, and %s", least, r.Proof.Why))
	}
	c.learnAll(slices.DeleteFunc(slices.Clone(r.Results), func(one gate.Result) bool { return among(c.found, c.named(one.Name)) && one.Where == loop.InWorkspace }))
	return r
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

// fingerprint tells one list of tests from another: a state has no room for all
// of them.
func fingerprint(list []loop.TestChange) string {
	sum := sha256.New()
	for _, one := range list {
		fmt.Fprintf(sum, "%q %s\n", one.Name, one.What)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// before finds out how each gate was before the first iteration, and which of
// them turned. Of one that nobody has seen then it is found out now.
func (c *claim) before(ctx context.Context, results []gate.Result, e *evidence) {
	for _, r := range results {
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
}

// passesByItself tells whether a gate is green, and not only no worse than it was.
func passesByItself(r gate.Result) bool {
	return r.OK && (r.Exit == nil || *r.Exit == 0) && (r.Tests == nil || r.Tests.Failed == 0)
}

// ended tells whether a gate came to its end. What did not says nothing.
func ended(g Gate, r gate.Result) bool {
	return !r.Interrupted && (r.OK || r.Exit != nil || g.Line == "")
}

// note remembers how a gate was.
func (j *Judge) note(g Gate, b Before) {
	if j.known.Before == nil {
		j.known.Before = map[string]Before{}
	}
	j.known.Before[g.key()] = b
	j.remember()
}

// variant runs a gate on another tree than the one that is claimed to be done,
// in a clean checkout of its own, and tells whether it came to its end there.
func (j *Judge) variant(ctx context.Context, g Gate, tree, with string) (gate.Result, bool) {
	rooms := j.rooms()
	defer rooms.close()
	r := j.variantIn(ctx, g, rooms, tree, with)
	return r, ended(g, r) && rooms.problem() == ""
}

func (j *Judge) variantIn(ctx context.Context, g Gate, rooms *rooms, tree, with string) gate.Result {
	log := j.Log(g.Name()+"."+with, loop.InClean)
	defer log.Close()
	room, err := rooms.enter(ctx, tree, log)
	if err != nil {
		return gate.Result{Gate: loop.Gate{Name: g.Name(), Where: loop.InClean, Why: "no clean checkout: " + err.Error()}, Interrupted: ctx.Err() != nil}
	}
	room.used = true
	j.Tell(&loop.GateStarted{Name: g.Name(), Where: loop.InClean, With: with})
	r := g.Check(ctx, rooms.place(room, log))
	r.Tree = tree
	j.Tell(&loop.GateFinished{Gate: r.Gate, With: with})
	return r
}

// compareAll holds the tests of every gate against what they were. Where files
// that decide about them were changed, the gates run with those as they were.
func (c *claim) compareAll(ctx context.Context, results []gate.Result, e *evidence) error {
	old, err := c.asWere(ctx, results, e, nil)
	if err != nil || ctx.Err() != nil {
		return err
	}
	e.comparison = c.compared(results, old, *e)
	reasons := c.state.Explained
	if meant := c.meant(ctx, e, reasons); len(e.changed) > 0 && c.Proof.Tests == TestsKept && len(meant) > 0 {
		// Some of the files are meant to be others; do the rest hold with those?
		first := e.comparison
		if old, err = c.asWere(ctx, results, e, meant); err != nil || ctx.Err() != nil {
			return err
		}
		e.comparison = c.compared(results, old, *e)
		e.held, e.fixed = first.held, first.fixed // only those hold as they were
		e.changed = append(e.changed, first.besides(e.changed, meant)...)
	}
	if !e.blind && c.Proof.Tests != TestsFree {
		e.changed = append(e.changed, c.unjudged(results, e)...)
	}
	for i, one := range e.changed {
		if one.Why == "" {
			e.changed[i].Why, _ = explained(one.Name, reasons)
		}
		if n := e.uncounted[one.Name]; n > 0 && e.changed[i].Why == "" && len(reasons) >= n {
			e.changed[i].Why = reasons[len(reasons)-1].Why // they have no names here, and as many were explained
		}
	}
	return nil
}

// meant is the files that are meant to be others, each with the reason: those that
// the agent named, and, where old tests could not even be loaded, those that hold
// a test which it named.
func (c *claim) meant(ctx context.Context, e *evidence, reasons []loop.TestExplained) []loop.TestExplained {
	var list []loop.TestExplained
	for _, f := range e.tests {
		if !f.old {
			continue
		}
		if why, ok := explained(f.path, reasons); ok {
			list = append(list, loop.TestExplained{Name: f.path, Why: why})
			continue
		}
		if !e.unloaded || !c.Store.CanRestore() {
			continue
		}
		text, err := content(ctx, c.Store.Trees(), f.was.File)
		for _, r := range reasons {
			short := r.Name[strings.LastIndexAny(r.Name, separators)+1:]
			if err == nil && len(short) > 2 && bytes.Contains(text, []byte(short)) {
				list = append(list, loop.TestExplained{Name: f.path, Why: r.Why})
				break
			}
		}
	}
	return list
}

// besides is what did not hold at first and does with files that are meant: those
// files, and the tests that their reasons stand for.
func (c comparison) besides(still []loop.TestChange, meant []loop.TestExplained) []loop.TestChange {
	var list []loop.TestChange
	for _, one := range c.changed {
		if !slices.ContainsFunc(still, func(other loop.TestChange) bool { return other.Name == one.Name }) {
			one.Why = meant[0].Why
			list = append(list, one)
		}
	}
	for _, m := range meant {
		list = append(list, loop.TestChange{Name: m.Name, What: loop.TestDecides, Why: m.Why})
	}
	return list
}

// asWere runs the gates that count tests, or turned, with the tests as they were.
func (c *claim) asWere(ctx context.Context, results []gate.Result, e *evidence, reasons []loop.TestExplained) (map[string]gate.Result, error) {
	old := map[string]gate.Result{}
	e.old = nil
	if e.blind || len(e.tests) == 0 || c.Proof.Tests == TestsFree || !c.Store.CanRestore() {
		return old, nil
	}
	rooms := c.Judge.rooms()
	defer rooms.close()
	for _, r := range results {
		g := c.named(r.Name)
		if g.Review || c.where(c.state, g) != loop.InClean || c.known.Before[g.key()].Empty || !c.counts(g, r) && !slices.Contains(e.turned, r.Name) {
			continue // or there was no test that could hold
		}
		base, err := c.pinnedTree(ctx, g)
		if err != nil {
			return nil, err
		}
		tree, err := e.changes.asWere(ctx, c.Store.Trees(), base, reasons)
		if err != nil {
			return nil, fmt.Errorf("put the tests back as they were: %w", err)
		}
		if tree == base {
			continue
		}
		was := c.variantIn(ctx, g, rooms, tree, "as-it-was")
		if ctx.Err() != nil {
			return nil, nil
		}
		if old[r.Name] = was; !was.OK {
			e.old = append(e.old, was)
		}
	}
	return old, nil
}

// counts tells whether a gate runs tests, now or before.
func (c *claim) counts(g Gate, r gate.Result) bool {
	return r.Tests != nil || c.known.Before[g.key()].Counted
}

// compared is what became of the tests of all gates.
func (c *claim) compared(results []gate.Result, old map[string]gate.Result, e evidence) comparison {
	var sum comparison
	for _, r := range results {
		g := c.named(r.Name)
		b, ok := c.known.Before[g.key()]
		if g.Review || !ok {
			continue
		}
		v := versions{gate: r.Name, before: b, born: c.known.Born[r.Name].Twice, now: tally(r), noWorse: g.NoWorse}
		was, apart := old[r.Name]
		if v.old, v.apart = v.now, apart; apart {
			v.old = tally(was)
		}
		one := compare(v)
		if apart && !was.OK && len(one.changed) == 0 && !g.NoWorse {
			one.changed = append(one.changed, loop.TestChange{Name: r.Name, What: loop.TestFails})
		}
		sum = sum.plus(one)
	}
	return sum
}

func (c comparison) plus(more comparison) comparison {
	if c.uncounted == nil {
		c.uncounted = more.uncounted
	} else {
		maps.Copy(c.uncounted, more.uncounted)
	}
	return comparison{
		unloaded: c.unloaded || more.unloaded, uncounted: c.uncounted, held: c.held + more.held, fixed: append(c.fixed, more.fixed...), renamed: append(c.renamed, more.renamed...),
		fresh: append(c.fresh, more.fresh...), changed: append(c.changed, more.changed...),
	}
}

// unjudged is files with tests that were changed and could not be put back for a
// gate that judges in the work tree.
func (c *claim) unjudged(results []gate.Result, e *evidence) []loop.TestChange {
	if !slices.ContainsFunc(results, func(r gate.Result) bool {
		g := c.named(r.Name)
		return !g.Review && r.Where == loop.InWorkspace && (c.counts(g, r) || slices.Contains(e.turned, r.Name))
	}) {
		return nil
	}
	var list []loop.TestChange
	for _, f := range e.tests {
		if !f.free && !slices.ContainsFunc(e.changed, func(one loop.TestChange) bool { return one.Name == f.path }) {
			list = append(list, loop.TestChange{Name: f.path, What: loop.TestDecides})
		}
	}
	return list
}

// unexplained is the tests that do not hold, and of which nobody said why.
func (e evidence) unexplained(mode string) []loop.TestChange {
	switch mode {
	case TestsFree:
		return nil
	case TestsPinned:
		return e.changed
	}
	return slices.DeleteFunc(slices.Clone(e.changed), func(one loop.TestChange) bool { return one.Why != "" })
}

// mostRefused is how many tests are named in a refusal.
const mostRefused = 8

// request tells the agent which tests do not hold, and what it can do.
func (c *claim) request(missing []loop.TestChange) string {
	var said []string
	for _, one := range missing[:min(len(missing), mostRefused)] {
		said = append(said, one.String())
	}
	if more := len(missing) - mostRefused; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	why := "tests do not hold as they were when the run began: " + strings.Join(said, ", ")
	if c.Proof.Tests == TestsPinned {
		return why + "; make the work hold against them"
	}
	return why + fmt.Sprintf("; restore them, or, where the change is meant, say so for each in a line of its own: <test-changed name=%q>why</test-changed>", missing[0].Name)
}

// discriminates tells whether something tells the work from what was there.
func (e evidence) discriminates() bool {
	return len(e.fixed)+len(e.added)+len(e.turned) > 0
}

// newOnFirst runs new tests on the work as it was: one that passes there too says
// nothing of the work. They run there twice, for one that fails now and then says
// nothing either.
func (c *claim) newOnFirst(ctx context.Context, results []gate.Result, e *evidence) error {
	if e.blind || len(e.tests) == 0 || !c.Store.CanRestore() {
		return nil
	}
	tree, err := e.onFirst(ctx, c.Store.Trees(), c.First.Tree)
	if err != nil {
		return fmt.Errorf("put the new tests on the work as it was: %w", err)
	}
	for _, r := range results {
		g := c.named(r.Name)
		if g.Review || c.where(c.state, g) != loop.InClean {
			continue
		}
		fresh := c.newTests(g, r)
		for range 2 {
			if len(fresh) > 0 && ctx.Err() == nil {
				fresh = c.failingThere(ctx, g, tree, fresh)
			}
		}
		if len(fresh) > 0 {
			e.added, e.addedBy = append(e.added, fresh...), append(e.addedBy, r.Name)
		}
	}
	return nil
}

// newTests is the tests of a gate that came in the run. Those without names are
// one.
func (c *claim) newTests(g Gate, r gate.Result) []string {
	now, b := tally(r), c.known.Before[g.key()]
	fresh := versions{before: b, now: now}.fresh()
	if more := now.Passed - b.Passed - b.Failed; len(fresh) == 0 && more > 0 && !now.Complete {
		fresh = []string{fmt.Sprintf("%s: %d new", r.Name, more)}
	}
	return fresh
}

// failingThere is which of new tests fail on another tree.
func (c *claim) failingThere(ctx context.Context, g Gate, tree string, fresh []string) []string {
	then, ended := c.variant(ctx, g, tree, "on-first")
	if !ended || then.OK {
		return nil
	}
	there := tally(then)
	// Where an old test fails, too, new ones may not have had their turn.
	cut := false
	for name, status := range c.known.Before[g.key()].Names {
		cut = cut || status == tests.Passed && there.Names[name] == tests.Failed
	}
	return slices.DeleteFunc(slices.Clone(fresh), func(name string) bool {
		status, ran := there.Names[name]
		return status != tests.Failed && (ran || cut)
	})
}

// learnAll takes note of tests that came up green.
func (j *Judge) learnAll(results []gate.Result) {
	changed := false
	for _, r := range results {
		changed = j.known.learn(j.named(r.Name), r) || changed
	}
	if changed {
		j.remember()
	}
}
