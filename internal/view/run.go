package view

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Run is everything a face needs to know of one run. The zero Run is one that
// has not started.
type Run struct {
	Name      string // build-7
	ID        string // loop_…
	Dir       string // where its files are; a reader that found them elsewhere says so
	Procedure string
	Agent     string
	Model     string
	Promise   string
	Prompt    string // a preview
	StartedAt time.Time
	PID       int // of the last runner

	Limits loop.Limits // as last set; Iterations is also called Max
	State  loop.Status
	Phase  loop.Phase // of the attempt under way

	Iteration int  // the last one that started; 0 before the first
	Attempt   int  // its attempt
	Open      bool // the attempt is under way

	Wait     *loop.RunWaiting  // set while waiting
	Outcome  *loop.Outcome     // of the last attempt that ended
	Verdict  loop.Verdict      // the last one given
	Finished *loop.RunFinished // set when the run is over

	Gate  *loop.GateStarted // the one that runs now
	Gates []loop.Gate       // what each said last, the latest at the end

	Sum   loop.State  // streaks, totals, feedback: the sum of the events so far
	usage *loop.Usage // of the attempt under way
}

// New gives a run without events.
func New() *Run { return &Run{} }

// Apply adds one event.
//
// A reader need not begin at the beginning: run.started, then the last
// iteration.finished, then all that follows give the same Status as every event
// would, but for the PID, which only matters while the lock names it.
func (r *Run) Apply(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		r.start(e, p)
	case *loop.RunResumed:
		r.Limits, r.PID = p.Limits, p.PID
		r.Agent, r.Model, r.Promise = orElse(p.Agent, r.Agent), orElse(p.Model, r.Model), orElse(p.Promise, r.Promise)
		r.State, r.Finished, r.Wait, r.Gate = loop.Running, nil, nil, nil
	case *loop.RunBaseline:
		r.begin(p)
	case *loop.RunWaiting:
		r.State, r.Wait = loop.Waiting, p
	case *loop.RunRule:
		r.Verdict = p.Verdict
	case *loop.IterationStarted:
		r.State, r.Wait = loop.Running, nil
		r.Phase, r.Open, r.usage, r.Gate = loop.Pending, true, nil, nil
		r.Iteration, r.Attempt, r.Limits.Iterations = e.Iter, e.Attempt, p.Max
	case *loop.IterationPhase:
		r.Phase = p.Phase
	case *loop.AgentSession:
		r.Model = orElse(p.Model, r.Model)
	case *loop.AgentUsage:
		r.usage = &p.Usage
	case *loop.GateStarted:
		r.Gate = p
	case *loop.GateFinished:
		r.Gate = nil
		r.judge(p.Gate)
	case *loop.IterationFinished:
		r.finishIteration(e, p)
		return // its state already includes this event
	case *loop.RunFinished:
		r.State, r.Finished = p.State, p
		r.Phase, r.Wait, r.Gate, r.Open = "", nil, nil, false
	}
	r.Sum = r.Sum.Sum(e)
}

func (r *Run) start(e loop.Event, p *loop.RunStarted) {
	r.Name, r.ID, r.Dir, r.Procedure = p.Name, e.Run, p.Dir, p.Procedure
	r.Agent, r.Model, r.Promise, r.Prompt = p.Agent, p.Model, p.Promise, p.Prompt
	r.StartedAt, r.PID, r.Limits = e.Time, p.PID, p.Limits
	r.State = loop.Running
}

func (r *Run) finishIteration(e loop.Event, p *loop.IterationFinished) {
	r.State, r.Wait, r.Finished = loop.Running, nil, nil
	r.Iteration, r.Attempt = e.Iter, e.Attempt
	r.Phase, r.Open, r.usage = "", false, nil
	r.Gate, r.Gates = nil, p.Outcome.Gates
	r.Outcome, r.Verdict, r.Sum = &p.Outcome, p.Verdict, p.State
	r.Limits = p.State.Limits
}

// begin takes in what the gates said before the first iteration.
func (r *Run) begin(p *loop.RunBaseline) {
	r.Gate, r.Gates = nil, nil
	for _, g := range p.Gates {
		r.Gates = append(r.Gates, g.Gate)
	}
}

// judge puts the word of a gate in the place of its last one. The list may be
// an event's own, so it is never changed.
func (r *Run) judge(g loop.Gate) {
	var gates []loop.Gate
	for _, old := range r.Gates {
		if old.Name != g.Name {
			gates = append(gates, old)
		}
	}
	r.Gates = append(gates, g)
}

// Died says that the run has no end and nobody is running it any more. Only a
// reader that has looked at the lock can know.
func (r *Run) Died() {
	if r.State.Ended() {
		return
	}
	r.State, r.Phase, r.Wait, r.Gate, r.Open = loop.Crashed, "", nil, nil, false
}

// Max is the highest number of iterations; 0 is no limit.
func (r *Run) Max() int { return r.Limits.Iterations }

// Reason is why the run ended, empty while it has not.
func (r *Run) Reason() loop.Reason {
	if r.Finished == nil {
		return ""
	}
	return r.Finished.Reason
}

// Proven tells whether the run is done and the runner's own gates agreed.
func (r *Run) Proven() bool { return r.Finished != nil && r.Finished.Proven }

// Elapsed is how long the run has been alive, waits included. The time between
// an end and a resume does not count.
func (r *Run) Elapsed(now time.Time) time.Duration {
	switch {
	case r.Finished != nil:
		return r.Finished.Elapsed.Duration()
	case r.State.Ended():
		return r.Sum.Live.Duration()
	}
	return loop.Facts{State: r.Sum, Now: now}.Live()
}

// Tokens is what the run has used so far, the attempt under way included.
func (r *Run) Tokens() int { return r.Sum.Totals.Tokens + r.usage.Tokens() }

// Cost is what the run has cost so far in US dollars, 0 when it is not known.
func (r *Run) Cost() float64 { return r.Sum.Totals.CostUSD + r.usage.Cost() }

// CostEstimated tells whether some of the cost was worked out from a price list.
func (r *Run) CostEstimated() bool { return r.Sum.Totals.CostEstimated || r.usage.Estimated() }

// ContextPercent is how full the agent's context is, 0 when it is not known.
func (r *Run) ContextPercent() int {
	if r.usage == nil {
		return 0
	}
	return r.usage.ContextPercent
}

// Refused lists the claims that were not taken, and why: those of the attempt
// under way, else those that the next agent will be told of.
func (r *Run) Refused() []string {
	feedback := r.Sum.Feedback
	if r.Open {
		feedback = r.Sum.Heard
	}
	var list []string
	for _, f := range feedback {
		if f.Kind == "claim_refused" || f.Kind == "near_miss" {
			list = append(list, f.Text)
		}
	}
	return list
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
