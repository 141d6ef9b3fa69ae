package parts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Scripts asks the user's stop scripts: exit status 0 means stop.
type Scripts struct {
	*engine.Kit
	List []Script
}

// Script is one of them.
type Script struct {
	files.Named
	Own bool // it is the user's own, and lies where no agent works
}

// scriptTime is how long a stop script may think.
const scriptTime = 5 * time.Second

// Ask gives each script the outcome as JSON on stdin. One that can't be run, or
// takes too long, is a warning and no opinion.
func (s *Scripts) Ask(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if len(s.List) == 0 || o.Result != loop.OK && o.Result != loop.Failed {
		return
	}
	a.Touched = true
	ctx, done := s.UntilStopped(ctx)
	defer done()
	input, err := json.Marshal(struct {
		Iteration int           `json:"iteration"`
		Outcome   *loop.Outcome `json:"outcome"`
		State     loop.State    `json:"state"`
	}{a.Iter, o, s.State()})
	if err != nil {
		return // values of these types always marshal
	}
	for _, one := range s.List {
		script := one.Path
		if err := one.Check(); err != nil { // an agent may have put a link there
			s.Warn("script "+script, loop.Warning{
				Text: fmt.Sprintf("the stop script %s is not run: %s", script, files.Cause(err)),
				Hint: "put a file there, or take it out of stop.scripts",
			})
			continue
		}
		exit, w := hook.Script(ctx, script, one.Own, hook.Call{
			Input: input, Dir: s.Dir, Timeout: scriptTime, Hide: s.Hide, Exec: s.Exec,
			Env: append(s.Bare[:len(s.Bare):len(s.Bare)], fmt.Sprintf("REFRAIN_ITERATION=%d", a.Iter), "REFRAIN_LAST_RESULT="+string(o.Result)),
		})
		if w != nil {
			s.Warn("script "+script, *w)
		}
		if exit != nil && *exit == 0 {
			o.Scripts = append(o.Scripts, script)
		}
		if ctx.Err() != nil && exit == nil {
			a.CutShort = true // it had no say
			return
		}
	}
}
