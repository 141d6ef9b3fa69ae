package view

import (
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatToTypeNext(t *testing.T) {
	work := loop.Totals{Files: 3, Commits: 1}
	tests := []struct {
		name string
		run  Run
		want []string
	}{
		{"nothing has begun", Run{}, nil},
		{"running", Run{State: loop.Running}, []string{"refrain logs -f build-7"}},
		{"waiting", Run{State: loop.Waiting}, []string{"refrain resume build-7", "refrain stop build-7"}},
		{"paused", Run{State: loop.Paused}, []string{"refrain resume build-7", "refrain stop build-7"}},
		{"done without a change", Run{State: loop.Done}, []string{"refrain show build-7"}},
		{"done", Run{State: loop.Done, Sum: loop.State{Totals: work}}, []string{"refrain review build-7", "refrain show build-7"}},
		{
			"done on a branch",
			Run{State: loop.Done, Identity: Identity{Branch: "loop/7"}, Sum: loop.State{Totals: work}},
			[]string{"refrain review build-7", "git merge loop/7", "refrain show build-7"},
		},
		{
			"done on a branch that has no commit",
			Run{State: loop.Done, Identity: Identity{Branch: "loop/7"}, Sum: loop.State{Totals: loop.Totals{Files: 3}}},
			[]string{"refrain review build-7", "refrain show build-7"},
		},
		{
			"done on a branch with an evil name",
			Run{State: loop.Done, Identity: Identity{Branch: "x;rm'$HOME"}, Sum: loop.State{Totals: work}},
			[]string{"refrain review build-7", `git merge 'x;rm'\''$HOME'`, "refrain show build-7"},
		},
		{
			"done in another work tree",
			Run{State: loop.Done, Surroundings: Surroundings{Tree: "/w/two words"}},
			[]string{"cd '/w/two words'", "refrain show build-7"},
		},
		{"gave up", Run{State: loop.Aborted, Iteration: 4, Outcome: &loop.Outcome{}}, []string{"refrain show build-7/4", "refrain resume build-7"}},
		{"gave up before the first iteration", Run{State: loop.Aborted}, []string{"refrain show build-7", "refrain resume build-7"}},
		{"could not run", Run{State: loop.CouldNotRun}, []string{"refrain resume build-7", "refrain show build-7"}},
		{"stopped", Run{State: loop.Stopped}, []string{"refrain resume build-7", "refrain show build-7"}},
		{"died", Run{State: loop.Crashed}, []string{"refrain resume build-7", "refrain show build-7"}},
	}
	for _, tt := range tests {
		tt.run.Name = "build-7"
		var got []string
		for _, step := range tt.run.Next() {
			got = append(got, step.Command)
			if step.For == "" {
				t.Errorf("%s: %q does not say what it is for", tt.name, step.Command)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: next %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAnExhaustedRunIsResumedWithARaisedLimit(t *testing.T) {
	limits := loop.Limits{Iterations: 5, Time: loop.Millis(time.Hour), CostUSD: 2.5, Tokens: 1000}
	for reason, want := range map[loop.Reason]string{
		loop.ByIterations: "refrain resume build-7 -n 10",
		loop.ByTime:       "refrain resume build-7 --max-time 2h00m",
		loop.ByCost:       "refrain resume build-7 --max-cost 5.00",
		loop.ByTokens:     "refrain resume build-7 --max-tokens 2000",
	} {
		run := Run{Identity: Identity{Name: "build-7"}, State: loop.Exhausted, Limits: limits, Finished: &loop.RunFinished{Reason: reason}}
		if got := run.Next()[0].Command; got != want {
			t.Errorf("after %s: %q, want %q", reason, got, want)
		}
	}
}
