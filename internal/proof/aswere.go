package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
)

// compareAll holds the tests of every gate against what they were. Where files
// that decide about them were changed, the gates run with those as they were.
func (c *claim) compareAll(ctx context.Context, r *Ruling, e *evidence) want {
	results := r.Results
	old, err := c.asWere(ctx, results, e, nil)
	if err != nil || ctx.Err() != nil {
		return cannot(err)
	}
	e.comparison = c.compared(results, old, *e)
	reasons := c.state.Explained
	if meant := c.meant(ctx, e, reasons); len(e.changed) > 0 && c.Proof.Tests == TestsKept && len(meant) > 0 {
		// Some of the files are meant to be others; do the rest hold with those?
		first := e.comparison
		if old, err = c.asWere(ctx, results, e, meant); err != nil || ctx.Err() != nil {
			return cannot(err)
		}
		e.comparison = c.compared(results, old, *e)
		e.held, e.fixed = first.held, first.fixed // only those pass as they were
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
	r.held = e.fixed
	return want{}
}

// asWere runs the gates that count tests, or turned, with the tests as they were.
func (c *claim) asWere(ctx context.Context, results []gate.Result, e *evidence, reasons []loop.TestExplained) (map[string]gate.Result, error) {
	old := map[string]gate.Result{}
	e.old = nil
	if e.blind || len(e.tests) == 0 || c.Proof.Tests == TestsFree || !c.Store.CanRestore() {
		return old, nil
	}
	rooms := newRooms(c.Judge)
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

// unexplained asks for the reasons that are missing.
func (c *claim) unexplained(_ context.Context, r *Ruling, e *evidence) want {
	missing := e.unmeant(c.Proof.Tests)
	if len(missing) == 0 {
		return want{}
	}
	r.Old = e.old
	return want{lacksTests + fingerprint(missing), c.request(missing)}
}

// unmeant is the tests whose old versions do not pass, and of which nobody said why.
func (e evidence) unmeant(mode string) []loop.TestChange {
	switch mode {
	case TestsFree:
		return nil
	case TestsPinned:
		return e.changed
	}
	return slices.DeleteFunc(slices.Clone(e.changed), func(one loop.TestChange) bool { return one.Why != "" })
}

// maxRefused is how many tests are named in a refusal.
const maxRefused = 8

// request tells the agent which old tests do not pass, and what it can do.
func (c *claim) request(missing []loop.TestChange) string {
	var said []string
	for _, one := range missing[:min(len(missing), maxRefused)] {
		said = append(said, one.String())
	}
	if more := len(missing) - maxRefused; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	why := "tests must pass as they were before the run: " + strings.Join(said, ", ")
	if c.Proof.Tests == TestsPinned {
		return why + "; make the work pass them"
	}
	return why + fmt.Sprintf("; restore them, or, where the change is intended, say so for each in a line of its own: <test-changed name=%q>why</test-changed>", missing[0].Name)
}

// fingerprint tells one list of tests from another: a state has no room for all
// of them.
func fingerprint(list []loop.TestChange) string {
	sum := sha256.New()
	for _, one := range list {
		fmt.Fprintf(sum, "%q %s\n", one.Name, one.What)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}
