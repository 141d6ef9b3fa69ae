package hook

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Facts are what a hook can know of its run. What is zero or nil is not known.
type Facts struct {
	Run             string
	RunID           string
	Procedure       string
	Profile         string // of another system, whose names are told as well
	Iteration       *int   // or, between two, the last one; 0 before the first
	MaxIterations   int    // 0 is unlimited, too
	LastExitCode    *int
	LastResult      loop.Result
	TotalIterations *int
	TotalCommits    *int
	LastCommit      string
	Elapsed         time.Duration // always known: before the first iteration it is 0
	ProjectDir      string
	RunDir          string
	PlanFile        string
	Metadata        string // the file for what it has to say of the iteration
	FinishState     loop.Status
	FinishReason    loop.Reason
}

// Environ is the environment base with the facts. What is not known is unset
// rather than empty, even if base has it: a run that was started by a hook of
// another run must not tell its own hooks how that one ended.
func Environ(base []string, f Facts) []string {
	facts := []variable{
		{"REFRAIN_RUN", f.Run},
		{"REFRAIN_RUN_ID", f.RunID},
		{"REFRAIN_PROCEDURE", f.Procedure},
		{"REFRAIN_ITERATION", known(f.Iteration)},
		{"REFRAIN_MAX_ITERATIONS", positive(f.MaxIterations)},
		{"REFRAIN_LAST_EXIT_CODE", known(f.LastExitCode)},
		{"REFRAIN_LAST_RESULT", string(f.LastResult)},
		{"REFRAIN_TOTAL_COMMITS", known(f.TotalCommits)},
		{"REFRAIN_LAST_COMMIT", f.LastCommit},
		{"REFRAIN_DURATION", strconv.FormatInt(int64(f.Elapsed/time.Second), 10)},
		{"REFRAIN_PROJECT_DIR", f.ProjectDir},
		{"REFRAIN_RUN_DIR", f.RunDir},
		{"REFRAIN_PLAN_FILE", f.PlanFile},
		{"REFRAIN_METADATA", f.Metadata},
		{"REFRAIN_FINISH_STATE", string(f.FinishState)},
		{"REFRAIN_FINISH_REASON", string(f.FinishReason)},
	}
	if also := foreign[f.Profile]; also != nil {
		facts = append(facts, also(f)...)
	}
	env := slices.Clone(base)
	for _, fact := range facts {
		env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, fact.name+"=") })
		if fact.value != "" {
			env = append(env, fact.name+"="+fact.value)
		}
	}
	return env
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func known(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
