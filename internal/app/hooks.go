package app

import (
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// hooks finds the user's commands at fixed points.
func (j *Job) hooks(run *journal.Run) (engine.Hooks, []loop.Warning) {
	c := j.config().Hooks
	commands := map[hook.Point]string{}
	for point, command := range c.Run.ByPoint() {
		commands[hook.Point(point)] = command
	}
	set, warnings := hook.Find(j.Tree, commands, c.Enabled)
	return engine.Hooks{
		Set: set, Timeout: loop.Span(c.Timeout),
		Facts: hook.Facts{
			Run: run.Meta().Name, RunID: run.Meta().ID, Procedure: run.Meta().Procedure,
			ProjectDir: j.Tree, RunDir: run.Dir(), PlanFile: j.plan(),
		},
	}, warnings
}
