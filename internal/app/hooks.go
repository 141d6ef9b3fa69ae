package app

import (
	"context"
	"slices"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/parts"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// findHooks finds the user's commands at fixed points.
func findHooks(a request.Assignment, run *journal.Run) (parts.HookSettings, []loop.Warning) {
	c := a.Config().Hooks
	commands := map[hook.Point]string{}
	for point, command := range c.Run.ByPoint() {
		commands[hook.Point(point)] = command
	}
	set, warnings := hook.Find(a.Tree, commands, c.Enabled)
	return parts.HookSettings{
		Set: set, Timeout: loop.Span(c.Timeout),
		About: hook.Facts{
			Run: run.Meta().Name, RunID: run.Meta().ID, Procedure: run.Meta().Procedure,
			ProjectDir: a.Tree, RunDir: run.Dir(), PlanFile: a.Plan(),
		},
	}, warnings
}

// lastHook runs the hook of the end for a runner that died before it had its
// turn.
func lastHook(ctx context.Context, a request.Assignment, run *journal.Run, past journal.Past, end *loop.RunFinished) {
	hooks, _ := findHooks(a, run)
	had := slices.ContainsFunc(past.Tail, func(e loop.Event) bool {
		said, ok := e.Payload.(*loop.HookFinished)
		return ok && said.Point == string(hook.Finished)
	})
	if had || !hooks.Set.Has(hook.Finished) {
		return
	}
	input, err := journal.Encode(loop.Event{Time: now(), Run: run.Meta().ID, Payload: end})
	if err != nil {
		return // values of these types always encode
	}
	keeper := proc.NewKeeper(proc.NewMark(run.Meta().ID, a.Tree), a.Config().Proc.Keep)
	defer keeper.Close()
	facts := hooks.About
	facts.FinishState, facts.FinishReason = end.State, end.Reason
	facts.TotalCommits, facts.Elapsed, facts.MaxIterations = &end.Totals.Commits, end.Elapsed.Duration(), a.Config().Loop.MaxIterations
	r := hooks.Set.Run(ctx, hook.Finished, hook.Call{
		Input: input, Env: hook.Environ(environ(a.Tree, run), facts), Dir: a.Dir(), Timeout: hooks.Timeout.Duration(), Exec: keeper.Run,
	})
	run.Append(loop.Event{Time: now(), Payload: &loop.HookFinished{
		Point: string(hook.Finished), Exit: r.Exit, Action: string(r.Action), Duration: r.Duration, Why: r.Why,
	}})
}
