package proof

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
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

// fingerprint tells one list of tests from another: a state has no room for all
// of them.
func fingerprint(list []loop.TestChange) string {
	sum := sha256.New()
	for _, one := range list {
		fmt.Fprintf(sum, "%q %s\n", one.Name, one.What)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

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

// note remembers how a gate was.
func (j *Judge) note(g Gate, b Before) {
	if j.known.Before == nil {
		j.known.Before = map[string]Before{}
	}
	j.known.Before[g.key()] = b
	j.remember()
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
