package term

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// story writes the events of a run as a runner would. Times are local, so that
// what they look like does not depend on where the test runs.
type story struct {
	events []loop.Event
	sum    loop.State
	now    time.Time
}

func begin(hour, minute int) *story {
	return &story{now: time.Date(2026, 11, 3, hour, minute, 0, 0, time.Local)}
}

func (s *story) after(d time.Duration) *story {
	s.now = s.now.Add(d)
	return s
}

// tell adds events of the run; in adds events of an attempt.
func (s *story) tell(payloads ...loop.Payload) *story { return s.in(0, 0, payloads...) }

func (s *story) in(iter, attempt int, payloads ...loop.Payload) *story {
	for _, p := range payloads {
		e := loop.Event{Seq: int64(len(s.events) + 1), Time: s.now, Run: "loop_1", Iter: iter, Attempt: attempt, Payload: p}
		s.sum = s.sum.Sum(e)
		switch p := p.(type) {
		case *loop.IterationFinished:
			p.State = s.sum
		case *loop.RunFinished:
			p.Elapsed, p.Totals = s.sum.Live, s.sum.Totals
		}
		s.events = append(s.events, e)
	}
	return s
}

// iteration tells of a whole one, with one attempt.
func (s *story) iteration(d time.Duration, limit int, o loop.Outcome) *story {
	n := s.sum.Next()
	o.Duration = loop.Millis(d)
	return s.in(n, 1, &loop.IterationStarted{Max: limit}).after(d).in(n, 1, &loop.IterationFinished{Outcome: o})
}

func (s *story) show(o Output) {
	for _, e := range s.events {
		o.Observe(e)
	}
	o.Close()
}

// run is the story as a reader of the journal sees it.
func (s *story) run() *view.Run {
	run := view.New()
	for _, e := range s.events {
		run.Apply(e)
	}
	if run.State.Ended() {
		run.Left = &[]string{} // somebody has looked
	}
	return run
}

func exited(code int) *loop.Exit { return &loop.Exit{Code: &code, Cause: loop.Exited} }

func ok() loop.Outcome { return loop.Outcome{Result: loop.OK, Exit: exited(0)} }

func exit1() loop.Outcome {
	return loop.Outcome{Result: loop.Failed, Exit: exited(1), Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "exit 1"}}
}

func finished(state loop.Status, reason loop.Reason, why string) *loop.RunFinished {
	return &loop.RunFinished{State: state, Reason: reason, Why: why}
}

func build(limits loop.Limits) *loop.RunStarted {
	return &loop.RunStarted{Name: "build-7", Procedure: "build", Agent: "claude", Limits: limits, Promise: "DONE"}
}

// Gates as they come out, of 0.9 seconds each.
func passing(name string, tests int) loop.Gate {
	return loop.Gate{Name: name, OK: true, Tests: tests, Where: loop.InWorkspace, Duration: loop.Millis(900 * time.Millisecond)}
}

func failing(name, why string) loop.Gate {
	return loop.Gate{Name: name, Why: why, Where: loop.InWorkspace, Duration: loop.Millis(900 * time.Millisecond)}
}

// baselineOf is one gate before the first iteration, in which all tests that ran
// passed; clean is nil where it was not tried in a clean checkout.
func baselineOf(g loop.Gate, clean *loop.Gate) *loop.RunBaseline {
	b := loop.BaselineGate{Gate: g, Clean: clean}
	if g.Tests > 0 {
		b.Tests = &loop.Tests{Total: g.Tests, Passed: g.Tests}
	}
	return &loop.RunBaseline{Proof: loop.InClean, Gates: []loop.BaselineGate{b}}
}

func failedBy(gates ...loop.Gate) loop.Outcome {
	return loop.Outcome{Result: loop.Failed, Exit: exited(0), Gates: gates}
}

func provenBy(gates ...loop.Gate) loop.Outcome {
	o := ok()
	o.Gates, o.Claim = gates, &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", By: loop.ByPromise, Proven: true}
	o.Changes = &loop.Changes{Created: 2, Commits: 1}
	return o
}
