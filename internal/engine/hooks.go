package engine

import (
	"context"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/stop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Hooks are the user's commands at fixed points, and what they are told.
type Hooks struct {
	Set     hook.Set
	Timeout loop.Span
	Facts   hook.Facts // what does not change during a run
}

// callHook runs the hook at a point, if there is one. It gets the event on its
// stdin.
func (e *Engine) callHook(ctx context.Context, p hook.Point, about loop.Payload, more func(*hook.Facts)) hook.Result {
	if !e.Hooks.Set.Has(p) {
		return hook.Result{Action: hook.Continue}
	}
	if said, ok := e.hooked[string(p)]; ok { // to the runner before this one
		delete(e.hooked, string(p))
		return hook.Result{Action: hook.Action(said.Action), Exit: said.Exit, Why: said.Why}
	}
	changed, err := e.strange(ctx)
	if err != nil {
		if ctx.Err() == nil && e.Control.Asked() == nil { // else it was told to end, and nobody is to blame
			e.warn("hooks", loop.Warning{Text: "hooks are not run, for nobody can tell whether they were changed: " + err.Error()})
		}
		return hook.Result{Action: hook.Continue}
	}
	if len(changed) > 0 {
		e.warn("hooks", loop.Warning{
			Text: "hooks are not run any more, for they were changed since the run began: " + text.FirstFew(changed),
			Hint: "if that was you, stop the run and resume it with --accept-config",
		})
		return hook.Result{Action: hook.Continue}
	}
	e.untouched = nil // what a hook does is not the next agent's work
	s := e.snapshot()
	e.mu.Lock()
	event := loop.Event{Time: e.now(), Run: e.Journal.Meta().ID, Iter: e.iter, Attempt: e.attempt, Payload: about}
	e.mu.Unlock()
	input, err := journal.Encode(event)
	if err != nil {
		input = nil // values of these types always encode
	}
	facts := e.Hooks.Facts
	facts.Iteration, facts.MaxIterations = event.Iter, e.limits().Iterations
	facts.TotalCommits, facts.Elapsed = &s.Totals.Commits, e.facts(nil).Live()
	facts.LastResult, facts.LastExitCode, facts.LastCommit = e.last.result, e.last.exit, e.last.commit
	if more != nil {
		more(&facts)
	}
	r := e.Hooks.Set.Run(ctx, p, hook.Call{
		Input: input, Env: hook.Environ(e.Env, facts), Dir: e.Dir, Timeout: e.Hooks.Timeout.Duration(), Exec: e.exec,
	})
	if r.Warning != nil {
		e.record(r.Warning)
	}
	if r.Ran {
		e.record(&loop.HookFinished{Point: string(p), Exit: r.Exit, Action: string(r.Action), Duration: r.Duration, Why: r.Why, Interrupted: r.Interrupted})
	}
	return r
}

// ended is what a hook is told of the attempt before.
type ended struct {
	result loop.Result
	exit   *int
	commit string
}

// failed tells whether the attempt before went wrong.
func (e ended) failed() bool {
	return e.result == loop.Failed || e.result == loop.TimedOut || e.result == loop.Idle
}

// remember keeps what hooks are told of the last attempt.
func (e *Engine) remember(o *loop.Outcome) {
	e.last.result, e.last.exit = o.Result, nil
	if o.Exit != nil {
		e.last.exit = o.Exit.Code
	}
	if head := e.headNow(); head != "" {
		e.last.commit = head
	}
}

// headNow is the commit that the last checkpoint saw, if it is known.
func (e *Engine) headNow() string {
	if e.seen == nil || e.seen.kept == nil {
		return ""
	}
	return e.seen.kept.Head
}

// hookStarted runs the first hook, and gives the verdict of one that does not
// want the run.
func (e *Engine) hookStarted(ctx context.Context) (loop.Verdict, bool) {
	e.startedHooks = true
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watchSoon(cancel)()
	r := e.callHook(ctx, hook.Started, e.Start, nil)
	if r.Action != hook.Abort {
		return loop.Verdict{}, false
	}
	return stop.Aborted(&loop.Hook{Point: string(hook.Started), Exit: *r.Exit, Why: r.Why}), true
}

// hookNext asks whether the attempt is to be made. An outcome means that it is
// not.
func (e *Engine) hookNext(ctx context.Context) *loop.Outcome {
	if !e.Hooks.Set.Has(hook.NextIteration) {
		return nil
	}
	e.record(&loop.IterationPhase{Phase: loop.PreHooks})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	r := e.callHook(ctx, hook.NextIteration, &loop.IterationStarted{Max: e.limits().Iterations}, nil)
	switch {
	case r.Interrupted:
		return &loop.Outcome{Result: loop.Interrupted, EndedAt: e.now()}
	case r.Action == hook.Continue:
		return nil
	}
	o := &loop.Outcome{Result: loop.Skipped, Hook: &loop.Hook{Point: string(hook.NextIteration), Exit: *r.Exit, Why: r.Why}, EndedAt: e.now()}
	if r.Action == hook.Abort {
		o.Result = loop.Interrupted // it was to be no iteration at all
	}
	return o
}

// hookAfter tells of the attempt that ended; of one that failed, once more.
func (e *Engine) hookAfter(ctx context.Context, a *attempt, o *loop.Outcome) {
	e.remember(o)
	failed := e.last.failed()
	if !e.snapshot().Counts(*o) || !e.Hooks.Set.Has(hook.PostIteration) && !(failed && e.Hooks.Set.Has(hook.Failed)) {
		return
	}
	e.record(&loop.IterationPhase{Phase: loop.PostHooks})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	about := &loop.IterationFinished{Outcome: *o, State: e.snapshot()}
	r := e.callHook(ctx, hook.PostIteration, about, nil)
	if r.Action == hook.Abort {
		o.Hook = &loop.Hook{Point: string(hook.PostIteration), Exit: *r.Exit, Why: r.Why}
	}
	if a.open = r.Interrupted; failed && !a.open {
		a.open = e.callHook(ctx, hook.Failed, about, nil).Interrupted
	}
}

// hookFinished runs the last hook: once, if the first had its turn. Who stops the run
// wants it to have its turn; who wants that once more does not.
func (e *Engine) hookFinished(end loop.RunFinished) {
	if !e.startedHooks {
		return
	}
	e.startedHooks = false
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer e.watchPush(cancel)()
	e.callHook(ctx, hook.Finished, &end, func(f *hook.Facts) {
		f.FinishState, f.FinishReason = end.State, end.Reason
	})
}
