package parts

import (
	"context"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Hooks runs the user's commands at fixed points.
type Hooks struct {
	*engine.Kit
	HookSettings
	Guards *Guards
	Tree   *Tree
	Start  loop.Payload // of the run

	started bool // the first had its turn, so the last is due
}

// HookSettings are the hooks, and what they are told.
type HookSettings struct {
	Set     hook.Set
	Timeout loop.Millis
	About   hook.Facts // what does not change during a run
}

// Started runs the first hook, and gives the verdict of one that does not want the
// run.
func (h *Hooks) Started(ctx context.Context) *loop.Verdict {
	h.started = true
	ctx, done := h.UntilAsked(ctx)
	defer done()
	r := h.call(ctx, nil, hook.Started, h.Start, h.Last(), nil)
	if r.Action != hook.Abort {
		return nil
	}
	v := stop.Aborted(&loop.Hook{Point: string(hook.Started), Exit: *r.Exit, Why: r.Why})
	return &v
}

// AskNext asks whether the attempt is to be made.
func (h *Hooks) AskNext(ctx context.Context, a *engine.Attempt) {
	if !h.Set.Has(hook.NextIteration) {
		return
	}
	h.Record(&loop.IterationPhase{Phase: loop.PreHooks})
	ctx, done := h.UntilStopped(ctx)
	defer done()
	r := h.call(ctx, a, hook.NextIteration, &loop.IterationStarted{Max: h.Limits().Iterations}, h.Last(), nil)
	switch {
	case r.Interrupted:
		a.Unwanted = &loop.Outcome{Result: loop.Interrupted, EndedAt: h.Now()}
		return
	case r.Action == hook.Continue:
		return
	}
	o := &loop.Outcome{Result: loop.Skipped, EndedAt: h.Now()}
	o.Hook = &loop.Hook{Point: string(hook.NextIteration), Exit: *r.Exit, Why: r.Why}
	if r.Action == hook.Abort {
		o.Result = loop.Interrupted // it was to be no iteration at all
	}
	a.Unwanted = o
}

// TellAfter tells of the attempt that ended; of one that failed, once more.
func (h *Hooks) TellAfter(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	failed := engine.WentWrong(o)
	if !h.State().Counts(*o) || !h.Set.Has(hook.PostIteration) && !(failed && h.Set.Has(hook.Failed)) {
		return
	}
	h.Record(&loop.IterationPhase{Phase: loop.PostHooks})
	ctx, done := h.UntilStopped(ctx)
	defer done()
	about := &loop.IterationFinished{Outcome: *o, State: h.State()}
	r := h.call(ctx, a, hook.PostIteration, about, o, nil)
	if r.Action == hook.Abort {
		o.Hook = &loop.Hook{Point: string(hook.PostIteration), Exit: *r.Exit, Why: r.Why}
	}
	a.CutShort = a.CutShort || r.Interrupted
	if failed && !a.CutShort {
		a.CutShort = h.call(ctx, a, hook.Failed, about, o, nil).Interrupted
	}
}

// Ended runs the last hook: once, if the first had its turn. Who stops the run
// wants it to have its turn; who wants that once more does not.
func (h *Hooks) Ended(end *loop.RunFinished) {
	if !h.started {
		return
	}
	h.started = false
	ctx, done := h.UntilPushed(context.Background())
	defer done()
	h.call(ctx, nil, hook.Finished, end, h.Last(), func(f *hook.Facts) {
		f.FinishState, f.FinishReason = end.State, end.Reason
	})
}

// call runs the hook at a point, if there is one. It gets the event on its
// stdin, and is told of the last attempt.
func (h *Hooks) call(ctx context.Context, a *engine.Attempt, p hook.Point, about loop.Payload, last *loop.Outcome, more func(*hook.Facts)) hook.Result {
	if !h.Set.Has(p) {
		return hook.Result{Action: hook.Continue}
	}
	if a != nil && a.Left != nil {
		if said, ok := a.Left.Hooks[string(p)]; ok { // to the runner before this one
			delete(a.Left.Hooks, string(p))
			return hook.Result{Action: hook.Action(said.Action), Exit: said.Exit, Why: said.Why}
		}
	}
	if !h.unchanged(ctx) {
		return hook.Result{Action: hook.Continue}
	}
	if a != nil {
		a.Touched = true // what a hook does is not the next agent's work
	}
	event := h.Event(about)
	event.Run = h.Journal.Meta().ID
	input, err := journal.Encode(event)
	if err != nil {
		input = nil // values of these types always encode
	}
	facts := h.facts(ctx, event, last)
	if more != nil {
		more(&facts)
	}
	r := h.Set.Run(ctx, p, hook.Call{
		Input: input, Env: hook.Environ(h.Bare, facts), Dir: h.Dir, Timeout: h.Timeout.Duration(), Hide: h.Hide, Exec: h.Exec,
	})
	if r.Warning != nil {
		h.Record(r.Warning)
	}
	if r.Ran {
		h.Record(&loop.HookFinished{Point: string(p), Exit: r.Exit, Action: string(r.Action), Duration: r.Duration, Why: r.Why, Interrupted: r.Interrupted})
	}
	return r
}

// unchanged tells whether the hooks are those that the run began with; others are
// not run.
func (h *Hooks) unchanged(ctx context.Context) bool {
	changed, err := h.Guards.changedHooks(ctx)
	if err != nil {
		if ctx.Err() == nil && h.Desk.Asked() == nil { // else it was told to end, and nobody is to blame
			h.Warn("hooks", loop.Warning{Text: "hooks are not run, for nobody can tell whether they were changed: " + err.Error()})
		}
		return false
	}
	if len(changed) > 0 {
		h.Warn("hooks", loop.Warning{
			Text: "hooks are not run any more, for they were changed since the run began: " + text.FirstFew(changed),
			Hint: "if that was you, stop the run and resume it with --accept-config",
		})
		return false
	}
	return true
}

// facts is what a hook is told of the run and of its last attempt.
func (h *Hooks) facts(ctx context.Context, event loop.Event, last *loop.Outcome) hook.Facts {
	s := h.State()
	f := h.About
	iteration, zero := event.Iter, 0
	if iteration == 0 { // before the first, or after the last
		iteration = s.Totals.Iterations
	}
	f.Iteration, f.MaxIterations = &iteration, h.Limits().Iterations
	f.TotalIterations, f.TotalCommits, f.Elapsed = &s.Totals.Iterations, &s.Totals.Commits, h.Facts(nil).Live()
	if last == nil {
		f.LastExitCode = &zero
	} else {
		f.LastResult, f.LastCommit = last.Result, h.Tree.LastCommit(ctx)
		if last.Exit != nil {
			f.LastExitCode = last.Exit.Code
		}
	}
	return f
}
