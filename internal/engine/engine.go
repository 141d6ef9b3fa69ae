// Package engine is the order of things: one attempt after another, each a
// begin, a run, a check, a decision and a finish.
//
// Everything that happens becomes an event, is written to the journal, and only
// then shown to observers, so that nobody ever saw more than the journal knows.
// An agent that fails is an outcome; an error means that the runner itself
// cannot go on. What is decided is decided in package loop, by rules that the
// engine asks and never second-guesses.
package engine

import (
	"context"
	"fmt"
	"regexp"
	"runtime/debug"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Observer hears of every event after it was written down, one at a time.
type Observer interface{ Observe(loop.Event) }

// Options are the parts of a run, put together.
type Options struct {
	Journal *journal.Run
	Past    journal.Past // of a run that goes on
	Start   loop.Payload // run.started or run.resumed
	// Warnings are what people should know before the first iteration.
	Warnings []loop.Warning

	Workers   []Worker        // the agent, and behind it those that stand in for it
	Holds     stop.Holds      // by which it is found who works
	Shared    Shared          // nil: limits are not shared
	Prompt    *prompt.Builder // nil: the command gets none
	Detectors func() []detect.Detector
	Rules     []loop.Rule

	Tree      *git.Tree
	Store     *checkpoint.Store // keeps checkpoints; nil: none are made
	Progress  []loop.Signal     // the signals that count
	Only      glob.Patterns     // the files that count; none is all
	Plan      string            // the plan's file; empty is none
	Written   string            // a plan that a claim must have written; empty is none
	Done      Done              // what claims done without the agent's words
	Judge     proof.Judge       // the runner's own checks
	Protect   glob.Patterns     // files whose change fails the attempt
	Protected []string          // the same as written
	Commits   Commits           // what the runner commits
	Hooks     Hooks             // what the user runs

	Rebaseline bool             // take the baseline of a run that goes on once more
	Accepted   bool             // a person has looked at what changed since the run began
	Patterns   []*regexp.Regexp // on the agent's text and stderr
	Scripts    []string         // exit status 0 means stop

	Dir     string   // where the agent works
	Env     []string // of every child, complete
	Timeout time.Duration
	Idle    time.Duration
	Limits  loop.Limits // what a live attempt must not exceed
	Context Context
	Compare bool // mark what attempts could repeat
	// Handoff is how much, in bytes, an agent with a fresh session is told of the
	// one before.
	Handoff int

	FeedbackRoom int // bytes that one gate may take in the next prompt
	PromptBudget int // in tokens; a larger prompt is warned about
	Transcripts  int // iterations whose raw output is kept

	Control   *Control
	Observers []Observer
	// Raise changes a limit for the rest of the run; nil: none can be changed.
	Raise func(key, value string) (Raised, error)
	// Asking says when a person is asked before it goes on.
	Asking Asking
	// Hurry goes on at once with a run that was waiting.
	Hurry bool
	Clock Clock // nil is the one on the wall
	// Trace adds to the environment of an attempt; nil: nothing.
	Trace func(iter, attempt int) []string

	// Guard is asked before every step whether the work tree is still ours.
	Guard func() error
	// Tampered is what in the records of the run is not a runner's; then it only
	// ends.
	Tampered string

	// Exec runs one process to its end; nil is proc.Run.
	Exec func(context.Context, proc.Spec) (loop.Exit, error)
}

// Engine runs one run.
type Engine struct {
	Options

	mu      sync.Mutex
	state   loop.State
	iter    int
	attempt int

	wishes   wishes
	waiters  []waiter
	waiting  bool
	ended    loop.Status             // when the run is over
	endAgent context.CancelCauseFunc // ends the agent that runs; nil: none does
	meter    *meter                  // of the agent that runs; nil: none does

	asking    *loop.RunAsked // what a person is asked now
	answered  string         // and what they said
	laidOut   string         // the next prompt as it was laid out for them
	laidNotes int            // how many notes are in it
	edited    string         // and as they left it; empty: unchanged

	worker       Worker // who makes the attempt
	last         ended  // the attempt before, for hooks
	seen         *sight
	hooked       map[string]*loop.HookFinished // what hooks of the attempt said to an earlier runner
	startedHooks bool                          // the last hook is due
	tasks        plan.Tasks                    // the plan as it was last read well

	guarded   guards // guarded files as they were when the run began
	locks     *git.Locks
	untouched *sight   // the tree now, when nothing ran since it was looked at
	told      []string // what the next agent should know of the gates

	troubleMu sync.Mutex
	trouble   []string
	warned    map[string]bool // warnings that are said once a run
}

// New makes an engine that goes on from the past in o.
func New(o Options) *Engine {
	if o.Exec == nil {
		o.Exec = proc.Run
	}
	if o.Control == nil {
		o.Control = NewControl()
	}
	if o.Clock == nil {
		o.Clock = wall{}
	}
	e := &Engine{Options: o, state: o.Past.State, warned: map[string]bool{}, worker: o.Workers[0]}
	e.wishes.hurry = o.Hurry
	o.Journal.OnTrouble(e.noteTrouble)
	return e
}

// Run steps until a rule says stop, and returns the run's last event. A done
// ctx is a wish to stop at once. Whatever happens, a panic included, the run
// gets its end written down.
func (e *Engine) Run(ctx context.Context) (end loop.RunFinished, err error) {
	defer context.AfterFunc(ctx, func() { e.Control.Stop(loop.Asked{Now: true}) })()
	defer e.Control.End()
	stopListening := e.listen()
	defer stopListening() // also when its goroutine is made to end
	defer func() {
		if p := recover(); p != nil {
			stopListening()
			// The reason is one sentence; where it happened is for who reads the error.
			end = e.finish(broken(fmt.Errorf("panic in the runner: %v", p)))
			err = fmt.Errorf("panic in the runner: %v\n%s", p, debug.Stack())
		}
	}()

	v, err := e.open(context.WithoutCancel(ctx))
	v = e.confirm(v)
	for err == nil && v.Action != loop.Stop {
		e.between(v)
		e.hold()
		if v = e.ask(); v.Action == loop.Stop {
			break
		}
		if v.Action != loop.Continue { // what an earlier runner, or another run, has left to do first
			continue
		}
		if e.Guard != nil {
			if err = e.Guard(); err != nil {
				break
			}
		}
		v = e.confirm(e.turn(context.WithoutCancel(ctx)))
	}
	stopListening() // the end is the last event
	if v, err = e.believed(v, err); err != nil {
		return e.finish(broken(err)), err
	}
	return e.finish(v), nil
}

// turn steps, after a person who wants to be asked has said so.
func (e *Engine) turn(ctx context.Context) loop.Verdict {
	answer := e.attend(ctx)
	e.hold() // a person may have wanted that instead of an answer
	if v := e.ask(); v.Action == loop.Stop {
		return v
	}
	switch answer {
	case Halt:
		return e.halted()
	case Fresh:
		e.reboot("a person asked for it")
	case Skip:
		return e.leaveOut(ctx)
	}
	e.rebootIfAsked()
	return e.Step(ctx)
}

// between does what a verdict says to do before the next step.
func (e *Engine) between(v loop.Verdict) {
	if v.Action == loop.Reboot {
		e.reboot(v.Why)
	}
	e.rebootIfAsked()
	if !v.Until.IsZero() {
		e.wait(v)
	}
	e.warnOfBudgets()
}

// ask decides with no outcome: before every step and at every wake.
func (e *Engine) ask() loop.Verdict {
	v := loop.Decide(e.facts(nil), e.rules())
	return v
}

func (e *Engine) facts(o *loop.Outcome) loop.Facts {
	return loop.Facts{State: e.snapshot(), Outcome: o, Now: e.now(), Asked: e.Control.Asked(), Noted: e.noted(), Hurry: e.hurried()}
}

func (e *Engine) rules() []loop.Rule {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Rules
}

func (e *Engine) holds() stop.Holds {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Holds
}

func (e *Engine) limits() loop.Limits {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Limits
}

// finish writes the rule that ended the run, and the end.
func (e *Engine) finish(v loop.Verdict) loop.RunFinished {
	e.leave()
	e.record(&loop.RunRule{Verdict: v})
	e.flushTrouble()
	state := e.snapshot()
	end := loop.RunFinished{
		State: v.State, Reason: v.Reason, Why: v.Why, Proven: v.Proven, Proof: v.Proof, Net: state.Net,
		Elapsed: state.Live, Totals: state.Totals, Unsaved: e.Journal.Trouble(),
	}
	if a := e.Control.Asked(); a != nil && v.Reason == loop.BySignal {
		end.Signal = a.Signal
	}
	e.hookFinished(end)
	e.record(&end)
	return end
}

func broken(err error) loop.Verdict {
	return loop.Verdict{Action: loop.Stop, Rule: "error", State: loop.CouldNotRun, Reason: loop.ByError, Why: err.Error()}
}
