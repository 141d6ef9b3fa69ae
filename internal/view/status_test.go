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
		`"totals":{"iterations":0,"ok":0,"failed":0,"timed_out":0,"skipped":0,"commits":0,"files":0,"lines_added":0,"lines_removed":0,"duration_ms":0}}`
	started := &loop.RunStarted{Name: "build-7", Dir: "/runs/build-7", PID: 10, Limits: loop.Limits{Iterations: 5}}
	tests := []struct {
		name   string
		events []loop.Payload
		want   string
	}{
		{
			"just started",
			[]loop.Payload{started},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes,
		},
		{
			"without a limit the limit is left out",
			[]loop.Payload{&loop.RunStarted{Name: "build-7", Dir: "/runs/build-7", PID: 10}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes,
		},
		{
			"in an attempt",
			[]loop.Payload{started, &loop.IterationStarted{Max: 5}, &loop.IterationPhase{Phase: loop.Executing}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","phase":"executing","iteration":1,"max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes,
		},
		{
			"waiting says until when and why",
			[]loop.Payload{started, &loop.RunWaiting{Why: "usage limit", Until: noon.Add(time.Hour)}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"waiting","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1500,"wait_until":"2026-11-03T13:00:00Z","pid":10,"why":"usage limit",` + zeroes,
		},
		{
			"an end says why, and whether it is proven",
			[]loop.Payload{started, &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "promise found", Elapsed: loop.Span(time.Second)}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"done","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","elapsed_ms":1000,"reason":"promise","why":"promise found","proven":false,` + zeroes,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := New()
			for _, p := range tt.events {
				e := loop.Event{Time: noon, Run: "loop_1", Payload: p}
				if p.Type() == "iteration.started" {
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
