package view

import (
	"fmt"
	"math"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Plan is how far the plan of a run has come, and how fast. Its JSON names are a
// promise to scripts.
type Plan struct {
	loop.Tally
	Total int `json:"total"`
	ByRun int `json:"done_by_run"` // tasks that are done and were not when the run began
	// At the pace so far; left out when nobody can tell.
	PerIteration   float64     `json:"per_iteration,omitempty"`
	IterationsLeft int         `json:"iterations_left,omitempty"`
	Left           loop.Millis `json:"left_ms,omitempty"`
}

// PlanOf is the plan as a run last read it; nil when there is none.
func PlanOf(r *Run, now time.Time) *Plan {
	tally := r.Sum.Tasks.Plan
	if tally == nil {
		return nil
	}
	p := &Plan{Tally: *tally, Total: tally.Total(), ByRun: max(tally.Done-r.Sum.DoneBefore, 0)}
	iterations, open := r.Sum.Totals.Iterations, p.Open+p.InProgress
	if p.ByRun == 0 || iterations == 0 {
		return p
	}
	p.PerIteration = math.Round(100*float64(p.ByRun)/float64(iterations)) / 100
	p.IterationsLeft = (open*iterations + p.ByRun - 1) / p.ByRun
	worked := r.Elapsed(now) - r.Waited(now)
	p.Left = loop.Millis(max(worked, 0) / time.Duration(p.ByRun) * time.Duration(open))
	return p
}

// TasksDone counts the tasks of a plan in words.
func TasksDone(t loop.Tally) string {
	return fmt.Sprintf("%s of %s done", text.Count(t.Done), text.Plural(t.Total(), "task"))
}

// TasksBrief is the same where room is short.
func TasksBrief(t loop.Tally) string { return fmt.Sprintf("%d/%d tasks", t.Done, t.Total()) }

// Progress says how far the plan has come, by whom, and what is left at this pace.
func (p *Plan) Progress(live bool) string {
	said := TasksDone(p.Tally)
	if p.ByRun > 0 && p.ByRun < p.Done {
		said += fmt.Sprintf(", %s of them by this run", text.Count(p.ByRun))
	}
	if live && p.IterationsLeft > 0 {
		said += fmt.Sprintf("; about %s more at this pace (%s)", text.Plural(p.IterationsLeft, "iteration"), text.Seconds(p.Left.Duration()))
	}
	return said
}

// read tells of the plan as the next agent finds it.
func read(p *loop.PlanRead) []Fact {
	said := TasksDone(p.Tally)
	if p.Task != "" {
		said += ", now: " + text.Line(p.Task)
	}
	return one(Info, "Plan: %s", said)
}

// ticked tells which tasks an attempt has done, and what is at hand now.
func ticked(o *loop.Outcome) []Fact {
	p := o.Plan
	if p == nil || len(p.Ticked) == 0 {
		return nil
	}
	said := fmt.Sprintf("%s: %s", text.OneOrMany(len(p.Ticked), "Task done", "Tasks done"), Names(p.Ticked, FewNames))
	now := loop.Tally{Open: p.Open, InProgress: p.InProgress, Done: p.Done, Task: p.Task}
	said += fmt.Sprintf(" (%s)", TasksBrief(now))
	if now.Task != "" {
		said += ", next: " + text.Line(now.Task)
	}
	return one(Info, "%s", said)
}
