package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// row is one attempt in the list of iterations.
type row struct {
	iter, attempt int
	began         time.Time
	after         int64 // events after this number tell how things stood before it, and of it
	done          bool

	result string
	style  style
	took   time.Duration
	tests  string
	gates  string
	cost   string
	why    string
	change string // what it did to the files, in a few words
}

// mostTrend is how many test runs the trend looks back.
const mostTrend = 64

// list keeps the list of attempts.
func (b *book) list(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.IterationStarted:
		r := row{iter: e.Iter, attempt: e.Attempt, began: e.Time, after: b.before, result: "running", style: live}
		b.rows = append(b.rows, r)
		if len(b.rows) > mostKept {
			b.rows = b.rows[1:]
		}
	case *loop.IterationFinished:
		i := len(b.rows) - 1
		if i < 0 || b.rows[i].iter != e.Iter || b.rows[i].attempt != e.Attempt {
			b.rows = append(b.rows, row{iter: e.Iter, attempt: e.Attempt, after: b.before})
			i = len(b.rows) - 1
		}
		b.rows[i].finish(p)
		b.before = e.Seq - 1
		b.settle()
		if t := p.Outcome.Tests; t != nil && t.Passed+t.Failed > 0 {
			b.tests = t
			b.trend = append(b.trend, *t)
			b.trend = b.trend[max(len(b.trend)-mostTrend, 0):]
		}
	}
}

func (r *row) finish(p *loop.IterationFinished) {
	o := &p.Outcome
	r.done, r.took = true, o.Duration.Duration()
	r.result = text.Words(string(o.Result))
	r.style = resultStyle(o)
	r.tests = view.Passed(o.Tests)
	r.gates = gates(o.Gates)
	if o.Usage.Cost() > 0 {
		r.cost = view.Dollars(o.Usage.Cost(), o.Usage.Estimated())
	}
	r.why = why(p)
	if c := o.Changes; c != nil {
		r.change = fmt.Sprintf("%s, +%s −%s", text.Plural(c.Created+c.Modified+c.Deleted, "file"), text.Count(c.LinesAdded), text.Count(c.LinesRemoved))
	}
}

// lose closes an attempt whose runner died.
func (r *row) lose(at time.Time) {
	r.done, r.result, r.style, r.why = true, string(loop.Lost), bad, "the runner died"
	r.took = at.Sub(r.began)
}

func resultStyle(o *loop.Outcome) style {
	switch o.Result {
	case loop.OK:
		if o.Claim.Refused() {
			return caution
		}
		return good
	case loop.Failed, loop.TimedOut, loop.Idle:
		return bad
	}
	return caution
}

// gates is how many passed, or which failed.
func gates(list []loop.Gate) string {
	var failed []string
	for _, g := range list {
		if !g.OK {
			failed = append(failed, "✗ "+text.Line(g.Name))
		}
	}
	if len(failed) == 0 && len(list) > 0 {
		return fmt.Sprintf("✓ %d", len(list))
	}
	return strings.Join(failed, " ")
}

// why is what a person would ask about an attempt: what was wrong with it, else
// what the runner made of it, else what the agent says it did.
func why(p *loop.IterationFinished) string {
	o := &p.Outcome
	said := o.Summary
	switch {
	case o.Claim.Refused():
		said = "claim refused: " + o.Claim.Why
	case o.Error != nil && o.Error.Message != "":
		said = o.Error.Message
	case o.Red():
		said = redGates(o.Gates)
	case p.Verdict.Action != loop.Continue && p.Verdict.Why != "":
		said = p.Verdict.Why
	}
	if p.Verdict.Restore != nil {
		said = fmt.Sprintf("rolled back to %d: %s", *p.Verdict.Restore, said)
	}
	return view.Fit(said, 400)
}

func redGates(list []loop.Gate) string {
	var said []string
	for _, g := range list {
		if !g.OK {
			said = append(said, g.Name+" "+view.Gate(g))
		}
	}
	return strings.Join(said, "; ")
}
