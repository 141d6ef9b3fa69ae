package stop

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// lastOne is the name of the rule that knows which iteration was the last.
const lastOne = "iterations"

// Iterations stops a run that has used up its iterations. When nobody asked
// for a way to be done, running them all was the whole task.
func Iterations(s *Settings) Rule {
	return Rule{
		Name: lastOne, Decide: iterations(s.Iterations, s.Done.Asked()), Redecidable: true, CanEnd: s.Iterations > 0,
		Limit: func(l *loop.Limits) { l.Iterations = s.Iterations },
		Rows: []setting.Row{{
			Key: "loop.max_iterations", Kind: setting.Iterations, At: &s.Iterations, Default: 0,
			Conditional: []setting.ConditionalDefault{{When: setting.ForPrompt, Value: 50}, {When: setting.ForCommand, Value: 20}},
			Doc:         "counted iterations at most; 0, \"none\" and \"unlimited\" are no limit",
		}, {
			Key: "stop.limit_first", Kind: setting.Bool, At: &s.LimitFirst, Default: false,
			Doc: "the last iteration ends the run at its limit, whatever is noticed in it: that the work is done, or gets nowhere",
		}},
		Ends: []End{
			{
				Reason: loop.ByIterations, State: loop.Done, Key: "loop.max_iterations",
				When:  "all iterations ran, the last one well with its gates, and nothing says when the run is done: no promise, no plan, no `done.gates`",
				Short: "all iterations ran, the last one well with its gates, and nothing says when the run is done: no promise, no plan, no `done.gates`", Setting: "`loop.max_iterations`, `-n`", Default: "as below",
			},
			{
				Reason: loop.ByIterations, State: loop.Exhausted, Key: "loop.max_iterations",
				When:  "`loop.max_iterations` came before done",
				Short: "iterations used up", Setting: "`loop.max_iterations`, `-n`", Default: "prompt 50, command 20, procedure no limit",
				Raise: "-n N",
			},
		},
	}
}

func iterations(most int, doneWasAsked bool) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if most <= 0 || f.State.Totals.Iterations < most {
			return none
		}
		if !doneWasAsked && f.State.LastOK {
			return done(loop.ByIterations, fmt.Sprintf("%s ran, the last one well", counted(f.State.Totals.Iterations)), false)
		}
		return end(loop.Exhausted, loop.ByIterations, fmt.Sprintf("reached the limit of %s before done", counted(most)))
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 iteration"
	}
	return fmt.Sprintf("%d iterations", n)
}
