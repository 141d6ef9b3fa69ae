package hook

import (
	"context"
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Result is what came of a point.
type Result struct {
	Ran    bool // there is a hook here, and it was run, or tried
	Action Action
	Exit   *int // nil when it did not end by itself, with a status

	// Why is what a hook that skips or aborts said last, if anything, and else
	// what went wrong with it. It is empty when all is well.
	Why     string
	Warning *loop.Warning // what went wrong, for people

	// Interrupted says that it was ended from outside, and wants nothing.
	Interrupted bool
	Duration    loop.Millis
}

// Run runs the hook of a point, if there is one, to its end.
func (s Set) Run(ctx context.Context, p Point, c Call) Result {
	hook, ok := s.hooks[p]
	if !ok {
		return Result{Action: Continue}
	}
	end := c.run(ctx, hook.argv)
	r := Result{Ran: true, Action: Continue, Exit: end.status, Interrupted: end.interrupted, Duration: loop.Millis(end.took)}
	if end.interrupted {
		r.Why = "interrupted"
		return r
	}
	if end.status != nil {
		switch action := p.action(*end.status); action {
		case Continue:
			return r
		case Skip, Abort:
			r.Action, r.Why = action, end.said
			return r
		}
		end.trouble = fmt.Sprintf("exited with status %d, which means nothing here and counts as 0", *end.status)
		end.hint = p.usage()
	}
	if end.timedOut {
		end.hint = "make it faster, or raise hooks.timeout"
	}
	r.Why = end.why()
	r.Warning = &loop.Warning{Text: fmt.Sprintf("the %s hook (%s) %s", p, hook.name, r.Why), Hint: end.hint}
	return r
}
