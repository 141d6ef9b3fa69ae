package app

import (
	"context"
	"strconv"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/request"
)

// prepareNew prepares a run that is new. What it takes for granted is stored with
// it as if it had been asked for, so that a resume has the same.
func prepareNew(ctx context.Context, tree string, req request.Request) (*Job, error) {
	a, err := request.Load(tree, req)
	if err != nil {
		return nil, err
	}
	limit, tasks := byTasks(a)
	if limit > 0 {
		req.Flags = append(req.Flags[:len(req.Flags):len(req.Flags)], config.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: strconv.Itoa(limit)})
	}
	if req.Words != "" && req.Procedure == "" && !anySet(a, "done.promise", "done.plan", "done.gates", "loop.exit_zero_is_done") {
		req.Flags = append(req.Flags[:len(req.Flags):len(req.Flags)], config.Flag{Name: "--until", Key: "done.promise", Value: sentencePromise})
	}
	j, err := prepare(ctx, tree, req)
	if err == nil && limit > 0 {
		j.LimitedBy = tasks
	}
	return j, err
}

// sentencePromise is how an agent that got a sentence, and nothing else, claims to
// be done. Without one the run would go on until its limit, however well it went.
const sentencePromise = "DONE"

// byTasks is how many iterations a procedure that works on a plan may have, and for
// how many open tasks, where nothing else limits it: each task may fail once, and
// a few more are for what is found on the way.
func byTasks(a request.Assignment) (limit, tasks int) {
	if a.Request.Procedure == "" || a.Plan().IsZero() || anySet(a, "loop.max_iterations", "loop.max_time", "budget.cost_usd", "budget.tokens") {
		return 0, 0
	}
	list, err := plan.Read(a.Plan())
	if err != nil {
		return 0, 0 // whoever needs it says what is wrong
	}
	count := list.Count()
	if tasks = count.Open + count.InProgress; tasks == 0 {
		return 0, 0
	}
	return 2*tasks + 3, tasks
}

// anySet tells whether somebody has set one of the keys.
func anySet(a request.Assignment, keys ...string) bool {
	for _, key := range keys {
		if a.Settings.IsSet(key) {
			return true
		}
	}
	return false
}
