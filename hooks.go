package refrain

import (
	"context"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Hooks are functions that a run calls at fixed points, each after the command of
// the user's at the same point. Each may be nil. The run waits for them; they come
// back soon when ctx is done, and what they say does not count then.
type Hooks struct {
	// Before is asked before each attempt whether it is to be made.
	Before func(context.Context, Moment) Answer
	// After hears of each iteration that counts, when its gates have looked at it. It
	// may end the run.
	After func(context.Context, Moment) Answer
	// Finished hears of the end, once, just before it is written down.
	Finished func(context.Context, Result)
}

// Moment is where a run stands when a hook is called.
type Moment struct {
	Run       string // its name
	ID        string
	Iteration int
	Attempt   int
	State     RunState
	// Outcome is what was seen of the attempt; in Before, of the one before it, and nil
	// in the first.
	Outcome *Outcome
}

// Answer is what a hook wants. The zero Answer is to go on.
type Answer struct {
	Decision Decision
	Why      string // people are told
	// Metadata is kept with the iteration, in Outcome.Metadata and in the journal, and
	// "refrain show --json" has it. Who says a name again, as in After, means it anew.
	// It has at most 32 names of up to 100 bytes, with up to 4 KiB each.
	Metadata map[string]string
}

// Decision is what becomes of an iteration, or of the run.
type Decision int

// The decisions.
const (
	GoOn          Decision = iota
	SkipIteration          // leave it out; only in Before
	EndRun                 // the run ends as Aborted, reason ByHook
)

var actions = map[Decision]hook.Action{GoOn: hook.Continue, SkipIteration: hook.Skip, EndRun: hook.Abort}

// byPoint is the functions as a run asks them.
func (h Hooks) byPoint(c *Control) map[hook.Point]hook.Func {
	list := map[hook.Point]hook.Func{}
	for point, ask := range map[hook.Point]func(context.Context, Moment) Answer{hook.NextIteration: h.Before, hook.PostIteration: h.After} {
		if ask == nil {
			continue
		}
		list[point] = func(ctx context.Context, m hook.Moment) hook.Answer {
			state := runState(m.State)
			state.Limits = m.Limits
			moment := Moment{Run: m.Run, ID: m.Event.Run, Iteration: m.Event.Iter, Attempt: m.Event.Attempt, State: state, Outcome: m.Last}
			var said Answer
			_ = c.guard("a hook", false, func() { said = ask(ctx, moment) })
			return hook.Answer{Action: actions[said.Decision], Why: said.Why, Metadata: said.Metadata}
		}
	}
	if h.Finished != nil {
		list[hook.Finished] = func(ctx context.Context, m hook.Moment) hook.Answer {
			result := resultOf(*m.Event.Payload.(*loop.RunFinished))
			result.Run, result.ID, result.Dir, result.Started = m.Run, m.Event.Run, m.Dir, true
			_ = c.guard("a hook", true, func() { h.Finished(ctx, result) }) // the run takes no wishes any more
			return hook.Answer{}
		}
	}
	return list
}
