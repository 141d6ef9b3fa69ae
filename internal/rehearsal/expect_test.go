package rehearsal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

const anIteration = "\n[[iteration]]\nsteps = []\n"

func TestExpectIsStrict(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"an unknown key", "[expect]\nstate = \"done\"\nsate = \"done\"" + anIteration, `line 3: unknown key "expect.sate": write one of iterations, `},
		{"an unknown state", "final = \"fail\"\n[expect]\nstate = \"finished\"" + anIteration, `line 3: expect: state is "finished": write one of done `},
		{"an unknown level", "[expect]\nlevel = \"sure\"" + anIteration, `line 2: expect: level is "sure": write one of proven kept tests_changed claimed`},
		{"a number in quotes", "[expect]\nproven = true\niterations = \"3\"" + anIteration, "line 3: expect: iterations is 3: write a whole number"},
		{"a time without its unit", "expect.max_time = \"8\"" + anIteration, `line 1: expect: max_time is "8"`},
		{"inline", "expect = { waits = 1, refused = -1 }" + anIteration, "line 1: expect: refused is -1"},
		{"in capitals", "[expect]\nState = \"done\"" + anIteration, `line 2: unknown key "expect.State"`},
		{"two brackets", "[[expect]]\nstate = \"done\"" + anIteration, "line 1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.script))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestMet(t *testing.T) {
	script, err := Parse([]byte(`
[expect]
state = "done"
reason = "promise"
proven = true
level = "kept"
iterations = 3
max_iterations = 2
waits = 1
refused = 0
max_time = "8h"
max_cost_usd = 1
` + anIteration))
	if err != nil {
		t.Fatal(err)
	}
	got := script.Expect.Met(loop.RunFinished{
		State: loop.Done, Reason: loop.ByPromise, Proof: &loop.Proof{Level: loop.LevelKept}, Elapsed: loop.Span(9*time.Hour + 300*time.Millisecond),
		Totals: loop.Totals{Iterations: 3, Waits: 1, CostUSD: 0.5},
	})
	want := []Met{
		{"state is done", "done", true},
		{"reason is promise", "promise", true},
		{"proven is true", "false", false},
		{"level is kept", "kept", true},
		{"iterations is 3", "3", true},
		{"max_iterations is 2", "3", false},
		{"waits is 1", "1", true},
		{"refused is 0", "0", true},
		{"max_time is 8h0m0s", "9h0m0s", false},
		{"max_cost_usd is 1", "0.5", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("met (-want +got):\n%s", diff)
	}
}
