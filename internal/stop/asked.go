package stop

import "github.com/refrain-loop/refrain/internal/loop"

// AskedNow stops a run whose user wants it stopped at once.
func AskedNow(*Settings) Rule {
	return Rule{Name: "stop at once", Decide: askedNow(), Ends: []End{
		{
			Reason: loop.BySignal, State: loop.Stopped,
			When:  "Ctrl+C, SIGTERM or SIGHUP",
			Short: "you stop it", Setting: "`loop.on_interrupt`", Default: "two-step",
		},
		{Reason: loop.ByRequest, State: loop.Stopped, When: "[`refrain stop`](control.md)"},
	}}
}

func askedNow() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Asked == nil || !f.Asked.Now {
			return none
		}
		return asked(f.Asked, "at once")
	}
}

// AskedAfter stops a run whose user wanted this iteration to be the last. With
// no outcome nothing runs, so there is nothing to wait for.
func AskedAfter(*Settings) Rule { return Rule{Name: "stop after this iteration", Decide: askedAfter()} }

func askedAfter() loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Asked == nil {
			return none
		}
		if f.Outcome == nil {
			return asked(f.Asked, "while nothing ran")
		}
		return asked(f.Asked, "after the iteration")
	}
}

func asked(a *loop.StopRequest, when string) loop.Verdict {
	v := end(loop.Stopped, loop.ByRequest, "stopped "+when+" by request")
	if a.Signal != "" {
		v = end(loop.Stopped, loop.BySignal, "stopped "+when+" by SIG"+a.Signal)
	}
	v.Now, v.Signal = a.Now, a.Signal
	return v
}
