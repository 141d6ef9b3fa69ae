package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
)

// scriptTime is how long a stop script may think.
const scriptTime = 5 * time.Second

// runScripts asks the user's stop scripts. Each gets the outcome as JSON on
// stdin; status 0 means stop. One that can't be run, or takes too long, is a
// warning and no opinion.
func (e *Engine) runScripts(ctx context.Context, a *attempt, o *loop.Outcome) {
	if len(e.Scripts) == 0 {
		return
	}
	e.untouched = nil
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.watch(cancel)()
	input, err := json.Marshal(struct {
		Iteration int           `json:"iteration"`
		Outcome   *loop.Outcome `json:"outcome"`
		State     loop.State    `json:"state"`
	}{e.iter, o, e.snapshot()})
	if err != nil {
		return // values of these types always marshal
	}
	for _, script := range e.Scripts {
		exit, w := hook.Script(ctx, script, hook.Call{
			Input: input, Dir: e.Dir, Timeout: scriptTime, Exec: e.exec,
			Env: append(e.Env[:len(e.Env):len(e.Env)], fmt.Sprintf("REFRAIN_ITERATION=%d", e.iter), "REFRAIN_LAST_RESULT="+string(o.Result)),
		})
		if w != nil {
			e.warn("script "+script, *w)
		}
		if exit != nil && *exit == 0 {
			o.Scripts = append(o.Scripts, script)
		}
		if ctx.Err() != nil && exit == nil {
			a.open = true // it had no say
			return
		}
	}
}
