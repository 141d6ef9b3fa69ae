package hook

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestEnviron(t *testing.T) {
	f := Facts{
		Run: "build-7", RunID: "loop_1", Procedure: "build", Iteration: new(3), MaxIterations: 10,
		LastExitCode: new(0), LastResult: loop.OK, TotalCommits: new(0), LastCommit: "abc123",
		Elapsed: 90*time.Second + 900*time.Millisecond, ProjectDir: "/p", RunDir: "/r", PlanFile: "PLAN.md", Metadata: "/r/m",
		FinishState: loop.Aborted, FinishReason: loop.ByHook,
	}
	got := Environ([]string{"HOME=/h", "REFRAIN_RUN=outer-1", "REFRAIN_RUNNER=x"}, f)
	want := []string{
		"HOME=/h", "REFRAIN_RUNNER=x",
		"REFRAIN_RUN=build-7", "REFRAIN_RUN_ID=loop_1", "REFRAIN_PROCEDURE=build", "REFRAIN_ITERATION=3", "REFRAIN_MAX_ITERATIONS=10",
		"REFRAIN_LAST_EXIT_CODE=0", "REFRAIN_LAST_RESULT=ok", "REFRAIN_TOTAL_COMMITS=0", "REFRAIN_LAST_COMMIT=abc123",
		"REFRAIN_DURATION=90", "REFRAIN_PROJECT_DIR=/p", "REFRAIN_RUN_DIR=/r", "REFRAIN_PLAN_FILE=PLAN.md", "REFRAIN_METADATA=/r/m",
		"REFRAIN_FINISH_STATE=aborted", "REFRAIN_FINISH_REASON=hook",
	}
	if !slices.Equal(got, want) {
		t.Errorf("environment:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEnvironUnsetsWhatIsNotKnown(t *testing.T) {
	base := []string{"REFRAIN_FINISH_STATE=done", "REFRAIN_FINISH_REASON=promise", "REFRAIN_LAST_EXIT_CODE=1", "A=b"}
	before := slices.Clone(base)
	got := Environ(base, Facts{})
	if want := []string{"A=b", "REFRAIN_DURATION=0"}; !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	if !slices.Equal(base, before) {
		t.Errorf("the base was changed to %q", base)
	}
}

func TestTheNamesOfAnotherSystem(t *testing.T) {
	f := Facts{Profile: "fresher", Procedure: "build", Iteration: new(0), LastExitCode: new(0), TotalCommits: new(2), RunDir: "/r", Elapsed: time.Second}
	got := Environ([]string{"FRESHER_ITERATION=9", "FRESHER_FINISH_TYPE=old"}, f)
	for _, want := range []string{"REFRAIN_ITERATION=0", "FRESHER_ITERATION=0", "FRESHER_MAX_ITERATIONS=0", "FRESHER_LAST_EXIT_CODE=0", "FRESHER_TOTAL_COMMITS=2", "FRESHER_DURATION=1", "FRESHER_LOG_DIR=/r", "FRESHER_MODE=building"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, "FRESHER_FINISH_TYPE") || v == "FRESHER_ITERATION=9" }) {
		t.Errorf("what another run was told is in %q", got)
	}
	f.Profile = "rooda"
	if got := Environ(nil, f); strings.Contains(strings.Join(got, " "), "FRESHER") {
		t.Errorf("another profile has fresher's names: %q", got)
	}
	ends := []struct {
		state  loop.Status
		reason loop.Reason
		want   string
	}{
		{loop.Stopped, loop.BySignal, "manual"},
		{loop.Aborted, loop.ByFailures, "error"},
		{loop.Exhausted, loop.ByIterations, "max_iterations"},
		{loop.Done, loop.ByIterations, "max_iterations"},
		{loop.Done, loop.ByPlan, "complete"},
		{loop.Aborted, loop.ByNoProgress, "no_changes"},
		{loop.Aborted, loop.ByHook, "hook_abort"},
		{"failed", loop.ByAgentMissing, "error"},
	}
	for _, tt := range ends {
		got := Environ(nil, Facts{Profile: "fresher", FinishState: tt.state, FinishReason: tt.reason})
		if !slices.Contains(got, "FRESHER_FINISH_TYPE="+tt.want) {
			t.Errorf("%s by %s: %q, want %s", tt.state, tt.reason, got, tt.want)
		}
	}
}
