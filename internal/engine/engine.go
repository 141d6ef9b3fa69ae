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

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/detect"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/prompt"
	"github.com/refrain-loop/refrain/internal/repo"
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

	Agent     agent.Agent
	AgentName string
	Remedy    string // what to do when its program is not there
	Model     string
	Prompt    *prompt.Builder // nil: the command gets none
	Detectors func() []detect.Detector
	Rules     []loop.Rule

	Tree      *repo.Tree
	Store     *repo.Store   // keeps checkpoints; nil: none are made
	Progress  []loop.Signal // the signals that count
	Only      repo.Patterns // the files that count; none is all
	Plan      string        // the plan's file; empty is none
	Written   string        // a plan that a claim must have written; empty is none
	Done      Done          // what claims done without the agent's words
	Judge     Judge         // the runner's own checks
	Protect   repo.Patterns // files whose change fails the attempt
	Protected []string      // the same as written
	Commits   Commits       // what the runner commits
	Hooks     Hooks         // what the user runs

	Rebaseline bool             // take the baseline of a run that goes on once more
	Accepted   bool             // a person has looked at what changed since the run began
	Patterns   []*regexp.Regexp // on the agent's text and stderr
	Scripts    []string         // exit status 0 means stop

	Dir     string   // where the agent works
	Env     []string // of every child, complete
	Timeout time.Duration
	Idle    time.Duration
	Limits  loop.Limits // what a live attempt must not exceed

	TestsInText  bool // the agent prints its tools' output as its own text
	FeedbackRoom int  // bytes that one gate may take in the next prompt
	PromptBudget int  // in tokens; a larger prompt is warned about
	Transcripts  int  // iterations whose raw output is kept

	Control   *Control
	Observers []Observer

	// Guard is asked before every step whether the work tree is still ours.
	Guard func() error

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

	last         ended // the attempt before, for hooks
	seen         *sight
	hooked       map[string]*loop.HookFinished // what hooks of the attempt said to an earlier runner
	startedHooks bool                          // the last hook is due
	tasks        plan.Tasks                    // the plan as it was last read well

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
	e := &Engine{Options: o, state: o.Past.State, warned: map[string]bool{}}
	o.Journal.OnTrouble(e.noteTrouble)
	return e
}

// Run steps until a rule says stop, and returns the run's last event. A done
// ctx is a wish to stop at once. Whatever happens, a panic included, the run
// gets its end written down.
func (e *Engine) Run(ctx context.Context) (end loop.RunFinished, err error) {
	defer context.AfterFunc(ctx, func() { e.Control.Stop(loop.Asked{Now: true}) })()
	stopListening := e.listen()
	defer func() {
		if p := recover(); p != nil {
			stopListening()
			err = fmt.Errorf("panic in the runner: %v\n%s", p, debug.Stack())
			end = e.finish(broken(err))
		}
	}()

	v, err := e.open(context.WithoutCancel(ctx))
	for err == nil && v.Action != loop.Stop {
		if v.Action == loop.Wait {
			e.wait(v)
		}
		if v = e.ask(); v.Action == loop.Stop {
			break
		}
		if e.Guard != nil {
			if err = e.Guard(); err != nil {
				break
			}
		}
		v = e.Step(context.WithoutCancel(ctx))
	}
	stopListening() // the end is the last event
	if err != nil {
		return e.finish(broken(err)), err
	}
	return e.finish(v), nil
}

// ask decides with no outcome: before every step and at every wake.
func (e *Engine) ask() loop.Verdict {
	_, v := loop.Decide(e.facts(nil), e.Rules)
	return v
}

func (e *Engine) facts(o *loop.Outcome) loop.Facts {
	return loop.Facts{State: e.snapshot(), Outcome: o, Now: now(), Asked: e.Control.Asked()}
}

// finish writes the rule that ended the run, and the end.
func (e *Engine) finish(v loop.Verdict) loop.RunFinished {
	e.leave()
	e.record(&loop.RunRule{Verdict: v})
	e.flushTrouble()
	state := e.snapshot()
	end := loop.RunFinished{
		State: v.State, Reason: v.Reason, Why: v.Why, Proven: v.Proven,
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

// now is the time as the journal writes it: what is added up from the journal
// later must equal what is added up here.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
