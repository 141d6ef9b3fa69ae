package rehearse

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
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
	found.kept, found.unreadable = r.kept(meta.Name)
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

// kept is what the journal kept of a run, as far as it can be read.
func (r *Rehearsal) kept(run string) (list []loop.Event, err error) {
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	for e, err := range store.Events(run, 0) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
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
		list = append(list, fmt.Sprintf("%s (%s)", text.Plural(t.Waits, "wait"), view.Brief(t.Waited.Duration())))
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

// findings is what is known of a rehearsal when it is over: what was seen of it, and
// what the journal kept.
type findings struct {
	*log
	ended []rehearsal.Ended // attempts that the runner ended
	end   loop.RunFinished
	c     config.Config
	gated bool // gates judge claims

	kept       []loop.Event
	unreadable error
	left       int // processes that outlived the run
	leftErr    error
}

// checks is everything that must not go wrong in a night. What did not come up
// is left out.
func (n *findings) checks() []Finding {
	list := []Finding{n.cameToAnEnd(), n.nothingLost(), n.noFalseDone()}
	for _, check := range []func() (Finding, bool){n.limitsWaitedOut, n.hangsEnded, n.crashesSurvived, n.fullDiskTold, n.leftRunning} {
		if c, ok := check(); ok {
			list = append(list, c)
		}
	}
	return list
}

// level is how much stands behind the end.
func (n *findings) level() loop.Level { return n.end.Level() }

func (n *findings) cameToAnEnd() Finding {
	c := Finding{Name: "it came to an end", OK: true, Detail: view.People(n.end.State, n.level()) + ", after " + view.Brief(n.end.Elapsed.Duration())}
	switch {
	case n.gaveUp != "":
		c.OK, c.Detail = false, n.gaveUp+"; set loop.max_time, loop.max_iterations or loop.idle_timeout"
	case n.end.State == loop.Stopped:
		c.OK, c.Detail = false, "it was interrupted, and nobody knows what would have come"
	case n.end.State == loop.Crashed:
		c.OK, c.Detail = false, "no runner could bring it to its end"
	}
	return c
}

// nothingLost compares what was seen with what a reader of the journal finds.
func (n *findings) nothingLost() Finding {
	c := Finding{Name: "nothing was lost"}
	if n.unreadable != nil {
		c.Detail = "the journal cannot be read: " + n.unreadable.Error()
		return c
	}
	type key struct{ iteration, attempt int }
	kept, counted := map[key]bool{}, 0
	for _, e := range n.kept {
		p, ok := e.Payload.(*loop.IterationFinished)
		if !ok {
			continue
		}
		kept[key{e.Iter, e.Attempt}] = true
		if p.State.Totals.Iterations == counted {
			continue // the attempt did not count
		}
		if counted++; e.Iter != counted {
			c.Detail = fmt.Sprintf("iteration %d follows iteration %d", e.Iter, counted-1)
			return c
		}
	}
	for _, a := range n.attempts {
		if a.finished != nil && !kept[key{a.iteration, a.attempt}] {
			c.Detail = fmt.Sprintf("iteration %d, attempt %d, had ended and is not in the journal", a.iteration, a.attempt)
			return c
		}
	}
	ended := len(n.kept) > 0 && n.kept[len(n.kept)-1].Type() == "run.finished"
	c.OK, c.Detail = ended || n.end.State == loop.Crashed, text.Plural(len(kept), "attempt")+" in the journal, and no number is missing"
	if !c.OK {
		c.Detail = "the end of the run is not in the journal"
	}
	return c
}

func (n *findings) noFalseDone() Finding {
	c := Finding{Name: "nothing false was called done", OK: true, Detail: "it is not called done"}
	if n.end.State == loop.Done {
		switch level := n.level(); {
		case level == loop.LevelProven:
			c.Detail = "the gates agree that it is done"
		case level.AtLeast(loop.LevelTestsChanged):
			c.Detail = "it is called " + view.LevelWords(level) + ", not proven"
		case n.gated && n.end.Reason != loop.ByIterations:
			c.OK, c.Detail = false, "it is called done, and the gates have not said so"
		case n.end.Reason == loop.ByIterations, n.end.Reason == loop.ByExitZero:
			c.Detail = "it ran its course; nobody claimed anything"
		default:
			c.Detail = "it is called unproven: no gate judges claims"
		}
	}
	if refused := n.end.Totals.Refused; refused > 0 {
		c.Detail += "; " + text.Plural(refused, "claim") + " refused"
	}
	return c
}

// limitsWaitedOut sees that an attempt that was turned away was made again, not
// before its time, and did not count.
func (n *findings) limitsWaitedOut() (Finding, bool) {
	c := Finding{Name: "limits were waited out"}
	found := 0
	for i, a := range n.attempts {
		if a.finished == nil || a.finished.Outcome.Result != loop.Limited && a.finished.Outcome.Result != loop.Unavailable {
			continue
		}
		found++
		o := &a.finished.Outcome
		at := a.ended.In(n.zone).Format("15:04")
		switch {
		case a.finished.State.Totals.Iterations >= a.iteration:
			c.Detail = fmt.Sprintf("the attempt that was turned away at %s was counted", at)
		case i+1 == len(n.attempts):
			c.Detail = fmt.Sprintf("the one of %s was not: %s", at, text.Line(n.end.Why))
		case n.attempts[i+1].iteration != a.iteration:
			c.Detail = fmt.Sprintf("after the one of %s, iteration %d was not tried again", at, a.iteration)
		case o.Limit != nil && n.sameAgent(i) && n.attempts[i+1].began.Before(o.Limit.Until):
			c.Detail = fmt.Sprintf("the one of %s was not: the next attempt came before its end", at)
		default:
			continue
		}
		return c, true
	}
	c.OK, c.Detail = true, fmt.Sprintf("turned away: %d, counted: 0, waited: %s", found, view.Brief(n.end.Totals.Waited.Duration()))
	return c, found > 0
}

// sameAgent tells whether the agent of an attempt made the next one too.
func (n *findings) sameAgent(i int) bool {
	next := n.attempts[i+1].finished
	return next != nil && next.Outcome.Agent == n.attempts[i].finished.Outcome.Agent
}

// grace is what it may take to end a process that does not want to.
const grace = 10 * time.Second

func (n *findings) hangsEnded() (Finding, bool) {
	c := Finding{Name: "hangs were ended in time", OK: true}
	var took []string
	for _, e := range n.ended {
		idle, timeout := n.c.Loop.IdleTimeout, n.c.Loop.IterationTimeout
		switch {
		case e.Cause == loop.WhenIdle && e.Silence <= idle+grace:
			took = append(took, view.Brief(e.Silence)+" of silence")
		case e.Cause == loop.AtDeadline && e.Lasted <= timeout+grace:
			took = append(took, view.Brief(e.Lasted))
		case e.Cause == loop.WhenIdle, e.Cause == loop.AtDeadline:
			c.OK, c.Detail = false, fmt.Sprintf("iteration %d went on for %s, silent for %s", e.Iteration, view.Brief(e.Lasted), view.Brief(e.Silence))
			return c, true
		}
	}
	if n.gaveUp != "" && len(n.ended) > 0 && n.ended[len(n.ended)-1].Cause == loop.OnRequest {
		c.OK, c.Detail = false, n.gaveUp
		return c, true
	}
	c.Detail = fmt.Sprintf("%s: after %s", text.Plural(len(took), "hang"), strings.Join(took, ", "))
	return c, len(took) > 0
}

// crashesSurvived sees that another runner went on after each death, with the
// iteration that was lost.
func (n *findings) crashesSurvived() (Finding, bool) {
	c := Finding{Name: "the run outlived its runner", OK: n.resumed == len(n.crashes)}
	switch {
	case !c.OK:
		c.Detail = fmt.Sprintf("it died %d times, and another runner went on %d times", len(n.crashes), n.resumed)
	default:
		c.Detail = fmt.Sprintf("deaths: %d, each resumed from the journal", len(n.crashes))
	}
	for i, a := range n.attempts {
		lost := a.finished != nil && a.finished.Outcome.Result == loop.Lost
		if lost && i+1 < len(n.attempts) && n.attempts[i+1].iteration != a.iteration {
			c.OK, c.Detail = false, fmt.Sprintf("iteration %d was lost and not made again", a.iteration)
		}
	}
	return c, len(n.crashes) > 0
}

func (n *findings) fullDiskTold() (Finding, bool) {
	c := Finding{Name: "the full disk was told"}
	if len(n.full) == 0 {
		return c, false
	}
	i := slices.IndexFunc(n.unsaved, func(at time.Time) bool { return !at.Before(n.full[0]) })
	if i < 0 {
		died := slices.ContainsFunc(n.crashes, func(at time.Time) bool { return !at.Before(n.full[0]) })
		if c.OK, c.Detail = died, "nobody was told that nothing could be saved"; died {
			c.Detail = "its runner died before it could tell anybody"
		}
		return c, true
	}
	c.OK, c.Detail = true, "at "+n.unsaved[i].In(n.zone).Format("15:04")
	if len(n.end.Unsaved) > 0 {
		c.Detail += "; not saved in the end: " + view.Names(n.end.Unsaved, 5)
	}
	return c, true
}
