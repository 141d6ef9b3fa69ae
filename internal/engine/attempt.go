package engine

import (
	"context"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Attempt is one fresh agent process, and what the parts around it tell each
// other. It lives from one begin to one end: what must outlive it is in the state,
// or in the run's folder.
type Attempt struct {
	Iter    int
	Number  int
	Dir     *journal.Attempt
	Worker  Worker    // who makes it
	Started time.Time // on the clock of the run
	Born    time.Time // the same on the clock of the disk
	OnBest  bool      // no agent has touched the tree since it was at its best

	// Left is what an earlier runner wrote down of it; nil: this one began it.
	Left *loop.LeftOpen

	// What parts tell those after them. Who writes it stands behind it.
	Unwanted  *loop.Outcome     // hooks: the attempt is not to be made
	Prompt    string            // prompt: what the agent is told
	Base      string            // tree: what the agent found, as the journal has it
	Signals   []loop.ProgressBy // tree, plan: what has moved
	Compared  bool              // tree: the trees before and after are known
	Refusal   string            // plan: why it lets no claim stand
	Feedback  []string          // plan, guards, proof: what the next agent should know
	Committed string            // commits: what was committed of it
	Metadata  map[string]string // hooks: what they have to say of it

	Failure  *loop.AgentError // prompt, the engine: why nothing ran, or nobody knows what did
	Began    bool             // the agent was started, whatever became of it
	Duration time.Duration    // of the agent's work

	// CutShort says that what follows the agent could not be done, for the run is
	// to end: the next runner does it. Whoever was ended sets it.
	CutShort bool
	// Touched says that something of the user's ran in the work tree after the
	// agent, so it may no longer be as the agent left it. Whoever runs it says so.
	Touched bool

	listeners []Listener
	session   string // the agent's own, as it was heard
}

// Order is what happens around an attempt: lists in plain sight, gone through from
// the first to the last. Parts come after those whose words they use.
type Order struct {
	// Of every runner, before anything else; an error ends the run.
	Open []func(context.Context) error
	// Of a runner that goes on: what the attempt before left in its folder.
	Recall []func(*journal.Attempt)
	// Of a runner that finds an attempt whose agent is gone and that nobody has
	// judged: back to where its agent left it.
	Recover []func(context.Context, *Attempt) error
	// The same of one whose agent was lost with its runner.
	Lost []func(*Attempt, *loop.Outcome)

	Begin  []func(context.Context, *Attempt)                              // before the agent
	Listen func(*Attempt) []Listener                                      // while it works
	Gone   []func(context.Context, *Attempt)                              // it is gone, and nothing has run since
	Check  []func(context.Context, *Attempt, *loop.Outcome)               // what came of it
	Settle []func(context.Context, *Attempt, *loop.Outcome)               // what is kept of it
	Finish []func(context.Context, *Attempt, *loop.Outcome, loop.Verdict) // what the verdict asks for

	// Started asks the user whether there is to be a run: a verdict means that
	// there is not.
	Started func(context.Context) *loop.Verdict
	// Baseline finds out how the tree stands before the first iteration, or anew.
	// It tells whether it could; a verdict means that there is no use in going on.
	Baseline func(ctx context.Context, anew bool) (*loop.Verdict, bool)
	// DoneBefore is the end of a run that had nothing to do; nil when it has.
	DoneBefore func(context.Context) *loop.Verdict
	// Ended adds to the end what is known by then, and tells the user of it.
	Ended []func(*loop.RunFinished)
}

// Listener takes in what the agent says while it works, and sums it up when it is
// gone.
type Listener interface {
	// Hear is given each event of the attempt in order, and gives events of its
	// own.
	Hear(loop.Payload) []loop.Payload
	// Report fills in the listener's own fields of the outcome, and gives the
	// events to record. The first listener says how the attempt ended; the others
	// read that.
	Report(*loop.Outcome) []loop.Payload
}

// Witness is a listener whose report holds also where nobody saw the end of the
// attempt: what the agent has said, it has said.
type Witness interface{ Witness() }

// Complainer is a listener that takes in the agent's errors too. They come from
// another goroutine.
type Complainer interface{ Complain(line []byte) }

// enter makes an attempt the current one: events from here on belong to it.
func (e *Engine) enter(iter, n int, w Worker, open func(iter, n int) *journal.Attempt) *Attempt {
	e.Enter(iter, n)
	a := &Attempt{Iter: iter, Number: n, Worker: w, Dir: open(iter, n), Started: e.Clock.Now(), Born: time.Now()}
	a.listeners = e.order.Listen(a)
	return a
}

// began is when the attempt began, with whichever runner.
func (a *Attempt) began() time.Time {
	if a.Left != nil {
		return a.Left.Started
	}
	return a.Started.UTC().Truncate(time.Millisecond) // as the journal has it
}

// hear lets the listeners take in what the agent said. What they make of it is
// given to who records.
func (a *Attempt) hear(p loop.Payload) []loop.Payload {
	if s, ok := p.(*loop.AgentSession); ok && s.Session != "" {
		a.session = s.Session
	}
	var made []loop.Payload
	for _, l := range a.listeners {
		made = append(made, l.Hear(p)...)
	}
	return made
}

// complain takes in a line of the agent's errors, or a piece of one, and gives what
// its decoder reads in a whole one.
func (a *Attempt) complain(d agent.Decoder, line []byte, more bool) []loop.Payload {
	for _, l := range a.listeners {
		if c, ok := l.(Complainer); ok {
			c.Complain(line)
		}
	}
	if more {
		return nil
	}
	return agent.Complain(d, line)
}

// leftOpen tells whether an attempt is left to the next runner: something that
// follows the agent was cut short, or a person wants the run to stop at once and
// the agent had not been ended for that.
//
// An agent that has come to its end is paid for, so its work is judged once and
// never done again. Whoever ends the runner after that, politely or not, leaves
// the attempt as it is: nothing more is written of it, and the next runner
// settles it, as after a crash.
func (a *Attempt) leftOpen(o *loop.Outcome, asked *loop.StopRequest) bool {
	ended := []loop.Result{loop.Interrupted, loop.Skipped}
	if asked != nil && asked.Now && o.Exit != nil && !slices.Contains(ended, o.Result) {
		a.CutShort = true
	}
	return a.CutShort
}
