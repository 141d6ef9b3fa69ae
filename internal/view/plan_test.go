package view

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestHowFarThePlanHasCome(t *testing.T) {
	start := time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	run := New()
	if p := PlanOf(run, start); p != nil {
		t.Errorf("a run without a plan has %+v", p)
	}
	ended := func(open, done int) *loop.IterationFinished {
		o := loop.Outcome{Result: loop.OK, Work: loop.Work{Plan: &loop.Plan{Open: open, Done: done, Task: "next"}}}
		return &loop.IterationFinished{Outcome: o}
	}
	said := func(minutes int) string { return PlanOf(run, at(minutes)).Progress(true) }
	apply := func(minutes, iter int, p loop.Payload) {
		if f, ok := p.(*loop.IterationFinished); ok {
			f.State = run.Sum.Sum(loop.Event{Time: at(minutes), Iter: iter, Payload: p})
		}
		run.Apply(loop.Event{Time: at(minutes), Iter: iter, Payload: p})
	}

	apply(0, 0, &loop.RunStarted{Name: "build-1"})
	apply(0, 1, &loop.IterationStarted{})
	apply(0, 1, &loop.PlanRead{Tally: loop.Tally{Open: 6, Done: 1, Task: "first"}})
	if got, want := said(0), "1 of 7 tasks done"; got != want {
		t.Errorf("at first: %q, want %q", got, want)
	}
	apply(10, 1, ended(4, 3))
	if got, want := said(10), "3 of 7 tasks done, 2 of them by this run; about 2 iterations more at this pace (20m00s)"; got != want {
		t.Errorf("after an iteration: %q, want %q", got, want)
	}
	if got, want := PlanOf(run, at(10)).Progress(false), "3 of 7 tasks done, 2 of them by this run"; got != want {
		t.Errorf("of a run that is over: %q, want %q", got, want)
	}
	if p := PlanOf(run, at(10)); p.Task != "next" || p.Total != 7 || p.PerIteration != 2 {
		t.Errorf("%+v, want next at hand of 7 tasks, and 2 per iteration", p)
	}
	apply(20, 2, ended(0, 7))
	if got, want := said(20), "7 of 7 tasks done, 6 of them by this run"; got != want {
		t.Errorf("at the end: %q, want %q", got, want)
	}
}
