package view

import (
	"cmp"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Run is everything a face needs to know of one run. The zero Run is one that
// has not started.
//
//	(nothing) ─ run.started ─► running ─┬─► waiting ─► running    for its provider, or a person
//	                                    ├─► paused ──► running
//	                                    ├─► rebooting ► running
//	                                    ├─► parked, done, exhausted, aborted, stopped, failed ─ run.resumed ─► running
//	                                    └─► crashed               only Died says so
type Run struct {
	Identity
	Surroundings

	Limits loop.Limits // as last set; Iterations is also called Max
	State  loop.Status
	Phase  loop.Phase // of the attempt under way

	Iteration int  // the last one that started; 0 before the first
	Attempt   int  // its attempt
	Open      bool // the attempt is under way

	Worker string // who made the last attempt: the agent, or one that stands in for it; empty when it is not known
	Ran    bool   // the agent was seen to run a command, and allowed to

	Wait     *loop.RunWaiting  // set while waiting
	Asked    *loop.RunAsked    // set while a person is asked
	Pausing  bool              // a person wants nothing to begin, and something is still under way
	Outcome  *loop.Outcome     // of the last attempt that ended
	Verdict  loop.Verdict      // the last one given
	Finished *loop.RunFinished // set when the run is over
	Parked   *loop.RunParked   // set while it is parked

	Gate  *loop.GateStarted // the one that runs now
	Gates []loop.Gate       // what each said last, the latest at the end

	Sum  loop.State // streaks, totals, feedback: the sum of the events so far
	seen seen
}

// Identity is what a run is, as it was started or last resumed.
type Identity struct {
	Name      string // build-7
	ID        string // loop_…
	Dir       string // where its files are; a reader that found them elsewhere says so
	Procedure string
	Profile   string // whose ways it works in; empty for our own
	Agent     string
	Model     string
	Promise   string
	Prompt    string // a preview
	Command   string // after "--"
	Branch    string // made for the run
	StartedAt time.Time
	PID       int // of the last runner
}

// Surroundings are what no event tells: only a reader of the run's settings and
// place can know.
type Surroundings struct {
	Tree   string    // the work tree, when the reader stands in another one
	Spared []string  // programs that a run leaves alone at its end
	Left   *[]string // processes of a run that is over; nil when nobody has looked

	Away *Away // it is not on this machine

	Tampered  string // what in its records is not a runner's
	Unchecked string // why nobody can tell what its records are worth

	Carried string // where it is, when it does not go on here for that; else empty
	Back    string // the command that brings it back then
}

// seen is what Apply remembers for what follows.
type seen struct {
	usage    *loop.Usage // of the attempt under way
	commands int         // that it has tried to run
	commits  int         // that the runner made itself
	trouble  string      // what cannot be seen or kept
	ended    time.Time   // when the run said so
	asks     bool        // it has waited for a person, for as long as that takes
}

// New gives a run without events.
func New() *Run { return &Run{} }

// Apply adds one event.
//
// A reader need not begin at the beginning: run.started, then the last
// iteration.finished, then all that follows give the same Status as every event
// would, but for the PID, which only matters while the lock names it, for a
// model that a resume in between asked for and no agent has named, and for what
// Leave says that the agent did.
func (r *Run) Apply(e loop.Event) {
	r.State = r.State.After(e.Payload)
	switch p := e.Payload.(type) {
	case *loop.RunStarted:
		r.start(e, p)
	case *loop.RunResumed:
		r.Limits, r.PID = p.Limits, p.PID
		r.Agent, r.Model, r.Promise = cmp.Or(p.Agent, r.Agent), cmp.Or(p.Model, r.Model), cmp.Or(p.Promise, r.Promise)
		r.Finished, r.Parked, r.Wait, r.Asked, r.Gate, r.Worker, r.Pausing = nil, nil, nil, nil, nil, "", false
		r.seen.ended = time.Time{}
	case *loop.RunBaseline:
		r.begin(p)
	case *loop.RunWaiting:
		r.Wait = p
	case *loop.RunPaused, *loop.RunUnpaused:
		r.Wait, r.Pausing = nil, false
	case *loop.CommandReceived:
		if !p.Refused && (p.Command == "pause" || p.Command == "resume") {
			r.Pausing = p.Command == "pause"
		}
		if p.Limits != nil {
			r.Limits = *p.Limits
		}
	case *loop.Warning:
		if p.Key == loop.UnseenKey || p.Key == loop.UnsavedKey {
			r.seen.trouble = p.Text
		}
	case *loop.RunAsked:
		r.seen.asks = r.seen.asks || p.Until.IsZero()
		r.Asked, r.Wait = p, nil
	case *loop.RunAnswered:
		r.Asked = nil
	case *loop.RunRule:
		r.Verdict = p.Verdict
	case *loop.IterationStarted:
		r.Wait = nil
		r.Phase, r.Open, r.seen.usage, r.seen.commands, r.Gate = loop.Pending, true, nil, 0, nil
		r.Iteration, r.Attempt, r.Limits.Iterations = e.Iter, e.Attempt, p.Max
	case *loop.IterationPhase:
		r.Phase = p.Phase
	case *loop.AgentStarted:
		r.Worker = p.Agent
	case *loop.AgentSession:
		r.Model = cmp.Or(p.Model, r.Model)
	case *loop.AgentTool:
		if p.Shell {
			r.seen.commands++
		}
	case *loop.CommitMade:
		r.seen.commits++
	case *loop.AgentUsage:
		r.seen.usage = &p.Usage
	case *loop.GateStarted:
		r.Gate = p
	case *loop.GateFinished:
		if r.Gate = nil; p.With == "" { // else it looked at another tree
			r.judge(p.Gate)
		}
	case *loop.IterationFinished:
		r.finishIteration(e, p)
		return // its state already includes this event
	case *loop.RunParked:
		r.Parked, r.Pausing = p, false
		r.Phase, r.Wait, r.Asked, r.Gate, r.Open = "", nil, nil, nil, false
	case *loop.RunFinished:
		r.Finished, r.seen.ended, r.Pausing = p, e.Time, false
		r.Phase, r.Wait, r.Asked, r.Gate, r.Open = "", nil, nil, nil, false
	}
	r.Sum = r.Sum.Sum(e)
}

func (r *Run) start(e loop.Event, p *loop.RunStarted) {
	r.Name, r.ID, r.Dir, r.Procedure, r.Profile = p.Name, e.Run, p.Dir, p.Procedure, p.Profile
	r.Agent, r.Model, r.Promise, r.Prompt, r.Command = p.Agent, p.Model, p.Promise, p.Prompt, p.Command
	r.StartedAt, r.PID, r.Limits, r.Branch = e.Time, p.PID, p.Limits, p.Branch
}

func (r *Run) finishIteration(e loop.Event, p *loop.IterationFinished) {
	r.Wait, r.Finished, r.Pausing = nil, nil, false
	r.Iteration, r.Attempt = e.Iter, e.Attempt
	r.Phase, r.Open, r.seen.usage, r.seen.ended = "", false, nil, time.Time{}
	r.Gate, r.Gates = nil, p.Outcome.Gates
	r.Outcome, r.Verdict, r.Sum = &p.Outcome, p.Verdict, p.State
	r.Limits = p.State.Limits
	r.Worker, r.Model = p.Outcome.Agent, cmp.Or(p.Outcome.Model, r.Model)
	if agents := p.State.Counting.Agents; len(agents) > 0 {
		r.Agent = agents[0]
	}
	r.Ran = r.Ran || r.seen.commands > 0 && !p.Outcome.NoShell
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
	r.State, r.Phase, r.Wait, r.Asked, r.Gate, r.Open, r.Pausing = loop.Crashed, "", nil, nil, nil, false, false
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

// EndedAt is when a run ended, or was last heard of. What is done with it afterwards,
// such as a rollback, does not move that.
func (r *Run) EndedAt() time.Time {
	if r.Finished != nil {
		return r.seen.ended
	}
	return r.Sum.At
}

// Tokens is what the run has used so far, the attempt under way included.
func (r *Run) Tokens() int { return r.Sum.Totals.Tokens + r.seen.usage.Tokens() }

// Cost is what the run has cost so far in US dollars, 0 when it is not known.
func (r *Run) Cost() float64 { return r.Sum.Totals.CostUSD + r.seen.usage.Cost() }

// CostEstimated tells whether some of the cost was worked out from a price list.
func (r *Run) CostEstimated() bool { return r.Sum.Totals.CostEstimated || r.seen.usage.Estimated() }

// ContextPercent is how full the agent's context is, 0 when it is not known.
func (r *Run) ContextPercent() int {
	switch {
	case r.seen.usage != nil && r.seen.usage.ContextPercent > 0:
		return r.seen.usage.ContextPercent
	case r.Sum.Session != nil:
		return r.Sum.Session.Percent
	}
	return 0
}

// Waited is how long the run has waited for its provider, the wait under way
// included.
func (r *Run) Waited(now time.Time) time.Duration {
	waited := r.Sum.Totals.Waited.Duration()
	if r.Sum.AwaitingProvider && !r.State.Ended() {
		waited += max(now.Sub(r.Sum.At), 0)
	}
	return waited
}

// Figures is what a run changed, in numbers. Every face shows these and no
// others: a file that was changed in five iterations is one file.
type Figures struct {
	Files        int
	LinesAdded   int
	LinesRemoved int
	Commits      int
}

// Changed is what a run came to: the work tree now against that before the first
// iteration. Where that is not known, as in journals of earlier versions, it is
// the sum over the iterations. Commits are counted as they are made.
func Changed(net *loop.Changes, sum loop.Totals) Figures {
	f := Figures{Files: sum.Files, LinesAdded: sum.LinesAdded, LinesRemoved: sum.LinesRemoved, Commits: sum.Commits}
	if net != nil {
		f.Files, f.LinesAdded, f.LinesRemoved = net.Created+net.Modified+net.Deleted, net.LinesAdded, net.LinesRemoved
	}
	return f
}

// Net is the work tree as the run last knew it, or as a person has put it back,
// against that before the first iteration; nil when that is not known.
func (r *Run) Net() *loop.Changes {
	return r.Sum.Net
}

// Changed is what the run has come to so far.
func (r *Run) Changed() Figures { return Changed(r.Net(), r.Sum.Totals) }
