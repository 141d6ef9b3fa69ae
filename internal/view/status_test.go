package view

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// The names are a promise to scripts, so they are compared as text.
func TestStatusAsJSON(t *testing.T) {
	const zeroes = `"streaks":{"failures":0,"red_gates":0,"test_failures":0,"no_progress":0},` +
		`"totals":{"iterations":0,"ok":0,"failed":0,"timed_out":0,"skipped":0,"commits":0,"files":0,"lines_added":0,"lines_removed":0,"duration_ms":0}`
	const watch = `,"next":["refrain logs -f build-7"]}`
	started := &loop.RunStarted{Name: "build-7", Dir: "/runs/build-7", PID: 10, Limits: loop.Limits{Iterations: 5}}
	tests := []struct {
		name   string
		events []loop.Payload
		want   string
	}{
		{
			"just started",
			[]loop.Payload{started},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes + watch,
		},
		{
			"without a limit the limit is left out",
			[]loop.Payload{&loop.RunStarted{Name: "build-7", Dir: "/runs/build-7", PID: 10}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes + watch,
		},
		{
			"in an attempt",
			[]loop.Payload{started, &loop.IterationStarted{Max: 5}, &loop.IterationPhase{Phase: loop.Executing}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","phase":"executing","iteration":1,"max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes + watch,
		},
		{
			"waiting says until when and why",
			[]loop.Payload{started, &loop.RunWaiting{Why: "usage limit", Until: noon.Add(time.Hour)}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"waiting","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"wait_until":"2026-11-03T13:00:00Z","pid":10,"why":"usage limit",` + zeroes + `,"next":["refrain resume build-7","refrain stop build-7"]}`,
		},
		{
			"an end says why, and whether it is proven",
			[]loop.Payload{started, &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "promise found", Elapsed: loop.Span(time.Second)}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"done","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1000,"reason":"promise","why":"promise found","proven":false,"proof":{"level":"claimed","why":"nothing but the agent's word stands behind it"},` + zeroes + `,"next":["refrain show build-7"]}`,
		},
		{
			"an end with a proof has all of it, and what the run came to",
			[]loop.Payload{started, &loop.RunFinished{
				State: loop.Done, Reason: loop.ByPromise, Why: "promise found", Elapsed: loop.Span(time.Second),
				Proof: &loop.Proof{
					Level: loop.LevelTestsChanged, Why: "1 test changed", Tree: "3f2a91c0d2e4", Place: loop.InClean, Diff: "-a\n+b",
					Tests: &loop.ProofTests{Held: 2, Changed: []loop.TestChange{{Name: "TestAdd", What: loop.TestGone, Why: "it is"}}},
				},
				Net: &loop.Changes{Modified: 1, LinesAdded: 7},
			}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"done","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1000,"reason":"promise","why":"promise found","proven":false,` +
				`"proof":{"level":"tests_changed","why":"1 test changed","tests":{"held":2,"changed":[{"name":"TestAdd","what":"gone","why":"it is"}]},"diff":"-a\n+b","tree":"3f2a91c0d2e4","place":"clean"},` + zeroes +
				`,"net":{"created":0,"modified":1,"deleted":0,"lines_added":7,"lines_removed":0,"commits":0},"next":["refrain diff build-7","refrain show build-7"]}`,
		},
		{
			"all that there is to say",
			[]loop.Payload{
				&loop.RunStarted{Name: "build-7", Agent: "claude", Branch: "loop/7", Prompt: "build it", PID: 10, Limits: loop.Limits{Iterations: 5}},
				&loop.IterationStarted{Max: 5},
				&loop.IterationFinished{
					Outcome: loop.Outcome{Result: loop.OK, Agent: "codex", Model: "large", Denied: []string{"WebFetch"}, BilledTo: "subscription"},
					State: loop.State{
						Totals:    loop.Totals{Iterations: 2, OK: 1, Failed: 1, CostUSD: 3, Proven: 2, Refused: 1, Files: 3},
						Durations: loop.Durations{N: 2, Mean: 2000, Squares: 2e6, Min: loop.Span(time.Second), Max: loop.Span(3 * time.Second)},
						Refusals:  []loop.Refusal{{Iteration: 1, Why: "gate test failed"}},
						Session:   &loop.Session{ID: "s-1", Agent: "codex", Since: noon, Iterations: 2, Percent: 31},
						Limits:    loop.Limits{Iterations: 5}, At: noon,
					},
				},
			},
			`{"run":"build-7","id":"loop_1","state":"running","iteration":1,"max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` +
				`"streaks":{"failures":0,"red_gates":0,"test_failures":0,"no_progress":0},` +
				`"totals":{"iterations":2,"ok":1,"failed":1,"timed_out":0,"skipped":0,"commits":0,"files":3,"lines_added":0,"lines_removed":0,"cost_usd":3,"duration_ms":0,"refused":1,"proven":2},` +
				`"agent":"codex","model":"large","branch":"loop/7","session":{"id":"s-1","agent":"codex","since":"2026-11-03T12:00:00Z","iterations":2,"percent":31},` +
				`"refusals":[{"iteration":1,"why":"gate test failed"}],` +
				`"stats":{"durations":{"n":2,"mean_ms":2000,"deviation_ms":1414.213562373095,"min_ms":1000,"max_ms":3000},"success_rate":0.5,"cost_per_proven_usd":1.5},` +
				`"leave":{"safe":true,"did":"3 files edited","denied":["WebFetch"],"proof":"no gates: a claim will be unproven","billed_to":"your subscription",` +
				`"pace":"about $1.50 and 2s an iteration; at this rate $7.50 and 10s for all 5","ends":"at the latest after 5 iterations"},` +
				`"next":["refrain logs -f build-7"]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := New()
			for _, p := range tt.events {
				e := loop.Event{Time: noon, Run: "loop_1", Payload: p}
				if p.Type() == "iteration.started" || p.Type() == "iteration.finished" {
					e.Iter, e.Attempt = 1, 1
				}
				run.Apply(e)
			}
			got, err := json.Marshal(run.Status(noon.Add(1500 * time.Millisecond)))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("status\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}
