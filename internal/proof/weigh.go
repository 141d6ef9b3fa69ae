package proof

import (
	"context"
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
	unclear []string // gates of which nobody knows how they were
	comparison
	added []string      // new tests that fail without the work
	old   []gate.Result // gates that are red with the tests as they were
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
		return r.refuse("changes", err.Error())
	}
	e.idle = !e.blind && len(e.work) == 0
	if e.idle && e.plan {
		return r.refuse("work", "nothing but the plan was changed since the run began; do the work, then claim")
	}
	r.doubted = e.bent()
	c.before(ctx, r.Results, &e)
	if unsteady := c.steady(ctx, r.Results, &e); unsteady != "" && ctx.Err() == nil {
		return r.refuse("steady", unsteady)
	}
	if ctx.Err() == nil {
		err = c.compareAll(ctx, r.Results, &e)
	}
	if ctx.Err() != nil {
		r.Interrupted = true
		return r
	}
	if err != nil {
		return r.refuse("changes", err.Error())
	}
	r.held = e.fixed
	if missing := e.unexplained(c.Proof.Tests); len(missing) > 0 {
		r.Old = e.old
		return r.refuse("tests "+names(missing), c.plea(missing))
	}
	if !e.discriminates() && len(e.changed) == 0 {
		if err := c.newOnFirst(ctx, r.Results, &e); err != nil {
			return r.refuse("changes", err.Error())
		}
	}
	if e.discriminates() && len(e.changed) == 0 {
		if unsteady := c.confirm(ctx, r.Results, &e); unsteady != "" && ctx.Err() == nil {
			return r.refuse("steady", unsteady)
		}
	}
	if ctx.Err() != nil {
		r.Interrupted = true
		return r
	}
	r.Proof = c.level(ctx, r.Results, e)
	if least := c.Proof.least(); !r.Proof.Level.AtLeast(least) {
		return r.refuse("level "+string(r.Proof.Level), fmt.Sprintf("done.require is %q, and %s", least, r.Proof.Why))
	}
	c.learnAll(r.Results)
	return r
}

func names(list []loop.TestChange) string {
	var all []string
	for _, one := range list {
		all = append(all, one.Name)
	}
	return strings.Join(all, " ")
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
			first := c.variant(ctx, g, c.First.Tree, "before")
			if ok = !first.Interrupted; ok {
				b = before(first, nil)
				c.note(g, b)
			}
		}
		switch {
		case !ok:
			e.unclear = append(e.unclear, r.Name)
		case !b.OK && !b.Empty:
			e.turned = append(e.turned, r.Name)
		}
	}
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
// in a clean checkout of its own.
func (j *Judge) variant(ctx context.Context, g Gate, tree, with string) gate.Result {
	rooms := j.rooms()
	defer rooms.close()
	return j.variantIn(ctx, g, rooms, tree, with)
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
	r := g.Check(ctx, j.place(room, log))
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
	if len(e.changed) > 0 && c.Proof.Tests == TestsKept && slices.ContainsFunc(e.bentFiles(), func(path string) bool { _, meant := explained(path, reasons); return meant }) {
		// Some of the files are meant to be others; do the tests hold with those?
		if old, err = c.asWere(ctx, results, e, reasons); err != nil || ctx.Err() != nil {
			return err
		}
		e.comparison = c.compared(results, old, *e)
		for _, path := range e.bentFiles() {
			if why, meant := explained(path, reasons); meant {
				e.changed = append(e.changed, loop.TestChange{Name: path, What: loop.TestDecides, Why: why})
			}
		}
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
		uncounted: c.uncounted, held: c.held + more.held, fixed: append(c.fixed, more.fixed...), renamed: append(c.renamed, more.renamed...),
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
	for _, path := range e.bentFiles() {
		if !slices.ContainsFunc(e.changed, func(one loop.TestChange) bool { return one.Name == path }) {
			list = append(list, loop.TestChange{Name: path, What: loop.TestDecides})
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

// mostPleas is how many tests are named in a refusal.
const mostPleas = 8

// plea tells the agent which tests do not hold, and what it can do.
func (c *claim) plea(missing []loop.TestChange) string {
	var said []string
	for _, one := range missing[:min(len(missing), mostPleas)] {
		said = append(said, one.String())
	}
	if more := len(missing) - mostPleas; more > 0 {
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
// nothing of the work.
func (c *claim) newOnFirst(ctx context.Context, results []gate.Result, e *evidence) error {
	if e.blind || len(e.tests) == 0 || !c.Store.CanRestore() {
		return nil
	}
	tree, err := e.onFirst(ctx, c.Store.Trees(), c.First.Tree)
	if err != nil {
		return fmt.Errorf("put the new tests on the work as it was: %w", err)
	}
	rooms := c.Judge.rooms()
	defer rooms.close()
	for _, r := range results {
		g := c.named(r.Name)
		now, b := tally(r), c.known.Before[g.key()]
		fresh := versions{before: b, now: now}.fresh()
		more := now.Passed > b.Passed+b.Failed && !now.Complete
		if g.Review || c.where(c.state, g) != loop.InClean || len(fresh) == 0 && !more {
			continue
		}
		then := c.variantIn(ctx, g, rooms, tree, "on-first")
		if ctx.Err() != nil || then.OK || then.Exit == nil || rooms.problem() != "" {
			continue // what could not be set up fails for other reasons
		}
		there := tally(then)
		for _, name := range fresh {
			if status, ran := there.Names[name]; status == tests.Failed || !ran {
				e.added = append(e.added, name)
			}
		}
		if len(fresh) == 0 {
			e.added = append(e.added, fmt.Sprintf("%s: %d new", r.Name, now.Passed-b.Passed-b.Failed))
		}
	}
	return nil
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
