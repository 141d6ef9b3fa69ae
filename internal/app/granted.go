package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/scaffold"
)

// prepareNew prepares a run that is new. What it takes for granted is stored with
// it as if it had been asked for, so that a resume has the same.
func prepareNew(ctx context.Context, tree string, req request.Request) (*Job, error) {
	a, err := request.Load(tree, req)
	if err != nil {
		return nil, err
	}
	spec, err := onlySpec(a)
	if err != nil {
		return nil, err
	}
	req.Words = cmp.Or(req.Words, spec)
	limit, tasks := byTasks(a)
	if limit > 0 {
		req.Flags = append(req.Flags[:len(req.Flags):len(req.Flags)], config.Flag{Name: "--max-iterations", Key: "loop.max_iterations", Value: strconv.Itoa(limit)})
	}
	if req.Words != "" && req.Procedure == "" && !anySet(a, "done.promise", "done.plan", "done.gates", "loop.exit_zero_is_done") {
		req.Flags = append(req.Flags[:len(req.Flags):len(req.Flags)], promised)
	}
	j, err := prepare(ctx, tree, req)
	if err == nil && limit > 0 {
		j.LimitedBy = tasks
	}
	return j, err
}

// onlySpec is the sentence of a run for which nobody has said anything: where there
// is no prompt and one spec, that is what is wanted. It says nothing where there is
// neither: whoever looks for the prompt says what is missing.
func onlySpec(a request.Assignment) (string, error) {
	r := a.Request
	if r.Procedure != "" || len(r.Command) > 0 || r.Prompt != "" || r.File != "" || len(r.Pieces) > 0 || a.Settings.IsSet("prompt") {
		return "", nil
	}
	if _, err := os.Lstat(a.InTree(a.Config().Prompt)); !errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	list, err := plan.ReadSpecs(filepath.Join(a.Tree, scaffold.SpecsFolder))
	list = slices.DeleteFunc(list, plan.Spec.Index)
	if err != nil || len(list) == 0 {
		return "", nil
	}
	name := scaffold.SpecsFolder + "/" + filepath.Base(list[0].Path)
	if rel, err := filepath.Rel(a.Tree, list[0].Path); err == nil {
		name = filepath.ToSlash(rel)
	}
	if len(list) > 1 {
		return "", &request.UsageError{
			What: fmt.Sprintf("no prompt: %s is missing, and there are %d specs", a.Config().Prompt, len(list)),
			Hint: fmt.Sprintf("make a plan of all of them with \"refrain plan\", or say which one is meant: refrain run 'Do what %s asks for'", name),
		}
	}
	return fmt.Sprintf("Do what %s asks for: %s\n\nRead the whole file first. Add a test for each thing that it asks for.", name, list[0].Title), nil
}

// promised is how an agent that got a sentence, and nothing else, claims to be done.
// Without it the run would go on until its limit, however well it went.
var promised = config.Flag{Name: "--until", Key: "done.promise", Value: "DONE"}

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
