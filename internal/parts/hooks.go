package parts

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

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
	Said    string // where they may write what they have to say of an iteration; empty: with its records
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
	v := stop.Aborted(said(hook.Started, r))
	return &v
}

// said is what a hook that does not want to go on said.
func said(p hook.Point, r hook.Result) *loop.Hook {
	return &loop.Hook{Point: string(p), By: r.By, Exit: *r.Exit, Why: r.Why}
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
	o.Hook = said(hook.NextIteration, r)
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
		o.Hook = said(hook.PostIteration, r)
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

// call runs the hooks at a point, if there are any: the user's command and, if that
// has nothing against it, the function of the program. They get the event, and are
// told of the last attempt.
func (h *Hooks) call(ctx context.Context, a *engine.Attempt, p hook.Point, about loop.Payload, last *loop.Outcome, more func(*hook.Facts)) hook.Result {
	r := hook.Result{Action: hook.Continue}
	if !h.Set.Has(p) {
		return r
	}
	h.Journal.SettleAll()
	event := h.Event(about)
	event.Run = h.Journal.Meta().ID
	if h.Set.HasCommand(p) {
		r = h.once(a, p, "", func() hook.Result { return h.command(ctx, a, p, event, last, more) })
	}
	if h.Set.HasOwn(p) && r.Action == hook.Continue && !r.Interrupted {
		r = h.once(a, p, loop.ByProgram, func() hook.Result {
			return h.Set.Ask(ctx, p, hook.Moment{Run: h.About.Run, Dir: h.About.RunDir, Event: event, State: h.State(), Limits: h.Limits(), Last: last})
		})
	}
	return r
}

// once runs a hook, unless it has had its turn in this attempt, and writes down what
// it said.
func (h *Hooks) once(a *engine.Attempt, p hook.Point, by string, run func() hook.Result) hook.Result {
	if a != nil && a.Left != nil {
		if said, ok := a.Left.Hooks[string(p)+by]; ok { // to the runner before this one
			delete(a.Left.Hooks, string(p)+by)
			return hook.Result{Action: hook.Action(said.Action), By: by, Exit: said.Exit, Why: said.Why}
		}
	}
	r := run()
	r.By = by
	if !r.Ran {
		return r
	}
	if a != nil {
		a.Touched = true // what a hook does is not the next agent's work
		if r.Interrupted {
			r.Metadata, r.Unread = nil, nil // it has its turn again
		}
		var w *loop.Warning
		if r.Metadata, w = hook.Bounded(p, r.Metadata); w != nil {
			h.Record(w)
		}
		a.Metadata = loop.Annotated(a.Metadata, r.Metadata)
	} else {
		r.Metadata = nil // there is no iteration that it could be of
	}
	for _, w := range []*loop.Warning{r.Unread, r.Warning} {
		if w != nil {
			h.Record(w)
		}
	}
	h.Record(&loop.HookFinished{
		Point: string(p), By: by, Exit: r.Exit, Action: string(r.Action), Duration: r.Duration, Why: r.Why, Interrupted: r.Interrupted, Metadata: r.Metadata,
	})
	return r
}

// command runs the user's command at a point. It gets the event on its stdin, and a
// place for what it has to say of the attempt.
func (h *Hooks) command(ctx context.Context, a *engine.Attempt, p hook.Point, event loop.Event, last *loop.Outcome, more func(*hook.Facts)) hook.Result {
	if !h.unchanged(ctx) {
		return hook.Result{Action: hook.Continue}
	}
	input, err := journal.Encode(event)
	if err != nil {
		input = nil // values of these types always encode
	}
	facts := h.facts(ctx, event, last)
	if a != nil {
		facts.Metadata = h.emptied(filepath.Join(cmp.Or(h.Said, a.Dir.Dir()), "metadata"))
	}
	if more != nil {
		more(&facts)
	}
	return h.Set.Run(ctx, p, hook.Call{
		Input: input, Env: hook.Environ(h.Bare, facts), Dir: h.Dir, Timeout: h.Timeout.Duration(), Metadata: facts.Metadata, Hide: h.Hide, Exec: h.Exec,
	})
}

// emptied is the path of a file that is not there yet: what lies in its place is not
// the hook's. It is empty when that stays.
func (h *Hooks) emptied(path string) string {
	if err := os.RemoveAll(path); err != nil {
		h.Warn("metadata", loop.Warning{Text: "hooks have no place for metadata: " + err.Error()})
		return ""
	}
	return path
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
	if _, after := event.Payload.(*loop.IterationFinished); after {
		s = s.Add(*last) // that is folded in when the hook has had its say
	}
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
