package hook

import (
	"cmp"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// foreign is what hooks find beside our own names in the profile of another
// system: under its names, in its words.
var foreign = map[string]func(Facts) []variable{
	"fresher": fresher,
}

// variable is one of the environment; an empty value unsets it.
type variable struct{ name, value string }

func fresher(f Facts) []variable {
	modes := map[string]string{"plan": "planning", "build": "building"}
	return []variable{
		{"FRESHER_ITERATION", known(f.Iteration)},
		{"FRESHER_MAX_ITERATIONS", strconv.Itoa(max(0, f.MaxIterations))},
		{"FRESHER_TOTAL_ITERATIONS", known(f.TotalIterations)},
		{"FRESHER_LAST_EXIT_CODE", known(f.LastExitCode)},
		{"FRESHER_LAST_COMMIT_SHA", f.LastCommit},
		{"FRESHER_TOTAL_COMMITS", known(f.TotalCommits)},
		{"FRESHER_DURATION", strconv.FormatInt(int64(f.Elapsed/time.Second), 10)},
		{"FRESHER_PROJECT_DIR", f.ProjectDir},
		{"FRESHER_LOG_DIR", f.RunDir},
		{"FRESHER_PLAN_FILE", f.PlanFile},
		{"FRESHER_MODE", cmp.Or(modes[f.Procedure], f.Procedure)},
		{"FRESHER_FINISH_TYPE", fresherEnd(f.FinishState, f.FinishReason)},
	}
}

// fresherEnd is how a run ended, in the words of fresher; empty before the end.
func fresherEnd(state loop.Status, reason loop.Reason) string {
	byReason := map[loop.Reason]string{
		loop.ByIterations: "max_iterations", loop.ByNoProgress: "no_changes", loop.ByHook: "hook_abort",
	}
	byState := map[loop.Status]string{loop.Stopped: "manual", loop.Done: "complete", "": ""}
	if word, ok := byReason[reason]; ok {
		return word
	}
	if word, ok := byState[state]; ok {
		return word
	}
	return "error"
}
