package rehearse

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Report is what came of a rehearsal.
type Report struct {
	Passed    bool             `json:"passed"`
	Script    string           `json:"script"`
	Run       string           `json:"run"`
	Procedure string           `json:"procedure"`
	Agent     string           `json:"agent"`
	Seed      uint64           `json:"seed"`
	Started   time.Time        `json:"started_at"` // by its own clock, as all times here
	Ended     time.Time        `json:"ended_at"`
	End       loop.RunFinished `json:"end"`
	Timeline  []Moment         `json:"timeline"`
	Checks    []Finding        `json:"checks"`
	Hints     []string         `json:"hints,omitempty"`
}

// Finding is one thing that a night must not go wrong in.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Lasted is how long it took by its own clock.
func (r *Report) Lasted() time.Duration { return r.Ended.Sub(r.Started) }

// Failed is how many checks did not pass.
func (r *Report) Failed() int {
	n := 0
	for _, c := range r.Checks {
		if !c.OK {
			n++
		}
	}
	return n
}

// report checks what the log and the journal say of the night.
func (r *Rehearsal) report(ctx context.Context, end loop.RunFinished) *Report {
	meta := r.run.Meta()
	found := &findings{
		log: r.log, ended: r.stage.Ended, end: end,
		gated: r.runner.Terms().Proves(), c: r.runner.Terms().Config,
	}
	for e, err := range r.copied.store().Events(meta.Name, 0) {
		if err != nil {
			found.unreadable = err
			break
		}
		found.kept = append(found.kept, e)
	}
	// What is left of it may only be looked for when all its runners are gone.
	found.left, found.leftErr = proc.CleanUp(context.WithoutCancel(ctx), r.runner.Terms().Config.Proc.Keep, r.copied.work, meta.ID)
	r.runner.Tidy(r.run.Dir())
	report := &Report{
		Script: filepath.Base(r.Script), Run: meta.Name, Procedure: meta.Procedure, Agent: r.Agent(), Seed: r.Seed,
		Started: r.Start, Ended: r.Clock.Now().In(r.Start.Location()), End: end,
		Timeline: r.log.moments, Checks: found.checks(),
	}
	for _, met := range r.script.Expect.Met(end) {
		report.Checks = append(report.Checks, Finding{Name: "expected: " + met.What, OK: met.OK, Detail: "it was " + met.Got})
	}
	if report.Passed = report.Failed() == 0; !report.Passed {
		report.Hints = found.hints()
	}
	return report
}

// hints is what may be wrong with the rehearsal itself.
func (n *findings) hints() []string {
	red := slices.ContainsFunc(n.kept, func(e loop.Event) bool {
		b, ok := e.Payload.(*loop.RunBaseline)
		return ok && slices.ContainsFunc(b.Gates, func(g loop.BaselineGate) bool { return !g.Gate.OK })
	})
	if !red {
		return nil
	}
	return []string{"a gate failed before the first iteration; if it passes for you, the copy lacks files that git ignores: name them in proof.copy"}
}

// Summary is the totals in one line.
func (r *Report) Summary() string {
	t := r.End.Totals
	list := []string{text.Plural(t.Iterations, "iteration")}
	for _, one := range []struct {
		n    int
		what string
	}{{t.OK, "ok"}, {t.Failed, "failed"}, {t.TimedOut, "ended by the runner"}, {t.Skipped, "skipped"}} {
		if one.n > 0 {
			list = append(list, text.Count(one.n)+" "+one.what)
		}
	}
	if t.Waits > 0 {
		list = append(list, fmt.Sprintf("%s (%s)", text.Plural(t.Waits, "wait"), briefly(t.Waited.Duration())))
	}
	if t.Refused > 0 {
		list = append(list, text.Plural(t.Refused, "claim")+" refused")
	}
	if t.Tokens > 0 {
		list = append(list, text.Plural(t.Tokens, "token"))
	}
	if t.CostUSD > 0 {
		list = append(list, view.Dollars(t.CostUSD, t.CostEstimated))
	}
	return strings.Join(list, ", ")
}

// leftRunning tells whether anything of the run lived on; unknown where the
// system does not tell.
func (n *findings) leftRunning() (Finding, bool) {
	c := Finding{Name: "nothing is left running", OK: n.left == 0 && n.leftErr == nil, Detail: "no process of the run is alive"}
	switch {
	case errors.Is(n.leftErr, errors.ErrUnsupported):
		return c, false
	case n.leftErr != nil:
		c.Detail = n.leftErr.Error()
	case n.left > 0:
		c.Detail = fmt.Sprintf("processes that had to be ended: %d", n.left)
	}
	return c, true
}
