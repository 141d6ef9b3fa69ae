package view

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

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
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes + watch,
		},
		{
			"without a limit the limit is left out",
			[]loop.Payload{&loop.RunStarted{Name: "build-7", Dir: "/runs/build-7", PID: 10}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes + watch,
		},
		{
			"in an attempt",
			[]loop.Payload{started, &loop.IterationStarted{Max: 5}, &loop.IterationPhase{Phase: loop.Executing}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"running","phase":"executing","iteration":1,"max_iterations":5,"started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` + zeroes + watch,
		},
		{
			"waiting says until when and why",
			[]loop.Payload{started, &loop.RunWaiting{Why: "usage limit", Until: noon.Add(time.Hour)}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"waiting","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1500,"wait_until":"2026-11-03T13:00:00Z","pid":10,"why":"usage limit",` + zeroes + `,"next":["refrain resume build-7","refrain stop build-7"]}`,
		},
		{
			"an end says why, and whether it is proven",
			[]loop.Payload{started, &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "promise found", Elapsed: loop.Millis(time.Second)}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"done","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1000,"reason":"promise","why":"promise found","proven":false,"proof":{"level":"claimed","why":"nothing but the agent's word stands behind it"},` + zeroes + `,"next":["refrain show build-7"]}`,
		},
		{
			"an end with a proof has all of it, and what the run came to",
			[]loop.Payload{started, &loop.RunFinished{
				State: loop.Done, Reason: loop.ByPromise, Why: "promise found", Elapsed: loop.Millis(time.Second),
				Proof: &loop.Proof{
					Level: loop.LevelTestsChanged, Why: "1 test changed", Tree: "3f2a91c0d2e4", Place: loop.InClean, Diff: "-a\n+b",
					Tests: &loop.ProofTests{Held: 2, Changed: []loop.TestChange{{Name: "TestAdd", What: loop.TestGone, Why: "it is"}}},
				},
				Net: &loop.Changes{Modified: 1, LinesAdded: 7},
			}},
			`{"run":"build-7","id":"loop_1","dir":"/runs/build-7","state":"done","max_iterations":5,"started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1000,"reason":"promise","why":"promise found","proven":false,` +
				`"proof":{"level":"tests_changed","why":"1 test changed","tests":{"held":2,"changed":[{"name":"TestAdd","what":"gone","why":"it is"}]},"diff":"-a\n+b","tree":"3f2a91c0d2e4","place":"clean"},` + zeroes +
				`,"net":{"created":0,"modified":1,"deleted":0,"lines_added":7,"lines_removed":0,"commits":0},"next":["refrain review build-7","refrain show build-7"]}`,
		},
		{
			"all that there is to say",
			[]loop.Payload{
				&loop.RunStarted{Name: "build-7", Agent: "claude", Branch: "loop/7", Prompt: "build it", PID: 10, Limits: loop.Limits{Iterations: 5}},
				&loop.IterationStarted{Max: 5},
				&loop.IterationFinished{
					Outcome: loop.Outcome{Result: loop.OK, Worker: loop.Worker{Agent: "codex", Model: "large", BilledTo: "subscription"}, Denied: []string{"WebFetch"}},
					State: loop.State{
						Totals:    loop.Totals{Iterations: 2, OK: 1, Failed: 1, CostUSD: 3, Proven: 2, Refused: 1, Files: 3},
						Durations: loop.Durations{N: 2, Mean: 2000, Squares: 2e6, Min: loop.Millis(time.Second), Max: loop.Millis(3 * time.Second)},
						Claims:    loop.Claims{Refusals: []loop.Refusal{{Iteration: 1, Why: "gate test failed"}}},
						Session:   &loop.Session{ID: "s-1", Agent: "codex", Since: noon, Iterations: 2, Percent: 31},
						Limits:    loop.Limits{Iterations: 5}, At: noon,
					},
				},
			},
			`{"run":"build-7","id":"loop_1","state":"running","iteration":1,"max_iterations":5,"started_at":"2026-11-03T12:00:00Z","last_activity":"2026-11-03T12:00:00Z","elapsed_ms":1500,"pid":10,` +
				`"streaks":{"failures":0,"red_gates":0,"test_failures":0,"no_progress":0},` +
				`"totals":{"iterations":2,"ok":1,"failed":1,"timed_out":0,"skipped":0,"commits":0,"files":3,"lines_added":0,"lines_removed":0,"cost_usd":3,"duration_ms":0,"refused":1,"proven":2},` +
				`"agent":"codex","prompt":"build it","model":"large","branch":"loop/7","session":{"id":"s-1","agent":"codex","since":"2026-11-03T12:00:00Z","iterations":2,"percent":31},` +
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

// ran is a run whose iterations took so many milliseconds each.
func ran(ms ...int) *Run {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7", Procedure: "build", Agent: "claude"})
	for _, took := range ms {
		n := r.sum.Next()
		r.add(n, 1, &loop.IterationStarted{})
		r.add(n, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Duration: loop.Millis(time.Duration(took) * time.Millisecond)}})
	}
	return fold(r.events...)
}

func TestStatsOfRunsAreThoseOfAllTheirIterations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		took := rapid.SliceOfN(rapid.IntRange(0, 10_000_000), 0, 40).Draw(t, "ms")
		at := rapid.IntRange(0, len(took)).Draw(t, "split")
		got := ran(took[:at]...).Stats(noon).Plus(ran(took[at:]...).Stats(noon)).Durations
		want := byHand(took)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }
		if got.N != want.N || got.Min != want.Min || got.Max != want.Max || !near(got.Mean, want.Mean) || !near(got.Deviation, want.Deviation) {
			t.Fatalf("%v split at %d: %+v, want %+v", took, at, got, want)
		}
	})
}

func byHand(ms []int) Spread {
	var s Spread
	if s.N = len(ms); s.N == 0 {
		return s
	}
	s.Min, s.Max = math.MaxInt64, 0
	for _, v := range ms {
		span := loop.Millis(time.Duration(v) * time.Millisecond)
		s.Mean += float64(v) / float64(s.N)
		s.Min, s.Max = min(s.Min, span), max(s.Max, span)
	}
	if s.N == 1 {
		return s
	}
	for _, v := range ms {
		s.Deviation += (float64(v) - s.Mean) * (float64(v) - s.Mean)
	}
	s.Deviation = math.Sqrt(s.Deviation / float64(s.N-1))
	return s
}

// A total that is added later must be added up here too.
func TestEveryTotalIsAddedUp(t *testing.T) {
	var one loop.Totals
	v := reflect.ValueOf(&one).Elem()
	fields := slices.DeleteFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return f.Anonymous })
	for i, field := range fields {
		switch f := v.FieldByIndex(field.Index); f.Kind() {
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(i + 1))
		case reflect.Float64:
			f.SetFloat(float64(i + 1))
		case reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("%s is a %s: add it up", field.Name, f.Kind())
		}
	}
	got := reflect.ValueOf(sum(one, one))
	for _, field := range fields {
		name, was, is := field.Name, v.FieldByIndex(field.Index), got.FieldByIndex(field.Index)
		ok := is.Kind() == reflect.Bool && is.Bool() ||
			is.CanInt() && is.Int() == 2*was.Int() || is.CanFloat() && is.Float() == 2*was.Float()
		if !ok {
			t.Errorf("%s: %v and %v give %v", name, was, was, is)
		}
	}
}

func TestStatsCountWhatBecameOfARun(t *testing.T) {
	yes := true
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7", Procedure: "build", Agent: "claude"})
	for i, result := range []loop.Result{loop.OK, loop.Failed, loop.TimedOut, loop.Skipped, loop.OK, loop.Limited} {
		r.add(i+1, 1, &loop.IterationFinished{Outcome: loop.Outcome{
			Result: result, Work: loop.Work{Progress: &yes}, Gates: []loop.Gate{{Name: "test", OK: true}},
			Usage: &loop.Usage{CostUSD: 0.1}, Duration: loop.Millis(time.Second),
		}})
	}
	r.add(0, 0, &loop.RunFinished{State: loop.Done, Proven: true, Elapsed: loop.Millis(time.Minute)})
	s := fold(r.events...).Stats(noon)
	if s.Runs != 1 || s.Done != 1 || s.Proven != 1 || s.Elapsed != loop.Millis(time.Minute) {
		t.Errorf("%d runs, %d done, %d proven, %v; want 1, 1, 1, 1m", s.Runs, s.Done, s.Proven, s.Elapsed.Duration())
	}
	if s.Durations.N != 4 || s.SuccessRate == nil || *s.SuccessRate != 0.5 {
		t.Errorf("of %d iterations %v were ok, want half of 4: a skipped one did nothing", s.Durations.N, s.SuccessRate)
	}
	if s.CostPerProven != 0.3 {
		t.Errorf("$%v per proven change, want $0.60 for 2", s.CostPerProven)
	}
}

// The names are a promise to scripts.
func TestABookAsJSON(t *testing.T) {
	b := NewBook()
	b.Add(ran(1000, 3000), noon)
	other := ran()
	other.Procedure, other.Agent = "plan", "codex"
	b.Add(other, noon)
	got, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	const none = `"failed":0,"timed_out":0,"skipped":0,"commits":0,"files":0,"lines_added":0,"lines_removed":0,`
	const two = `"done":0,"proven":0,"elapsed_ms":0,"totals":{"iterations":2,"ok":2,` + none + `"duration_ms":4000},` +
		`"stats":{"durations":{"n":2,"mean_ms":2000,"deviation_ms":1414.213562373095,"min_ms":1000,"max_ms":3000},"success_rate":1}}`
	const nothing = `{"runs":1,"done":0,"proven":0,"elapsed_ms":0,"totals":{"iterations":0,"ok":0,` + none + `"duration_ms":0},"stats":{}}`
	want := `{"all":{"runs":2,` + two + `,"procedures":{"build":{"runs":1,` + two + `,"plan":` + nothing + `},` +
		`"agents":{"claude":{"runs":1,` + two + `,"codex":` + nothing + `}}`
	if string(got) != want {
		t.Errorf("book\n got %s\nwant %s", got, want)
	}
}

func TestLastActivityMovesWithEveryEventButNotAfterTheEnd(t *testing.T) {
	r := New()
	for i, p := range []loop.Payload{
		&loop.RunStarted{Name: "build-7"}, &loop.RunPaused{}, &loop.RunUnpaused{}, &loop.IterationStarted{}, &loop.AgentText{Text: "Hello"},
		&loop.IterationFinished{State: loop.State{At: noon.Add(5 * time.Second)}}, &loop.RunFinished{State: loop.Done},
	} {
		at := noon.Add(time.Duration(i) * time.Second)
		r.Apply(loop.Event{Time: at, Run: "loop_1", Payload: p})
		if got := r.Status(at.Add(time.Hour)).LastActivity; !got.Equal(at) {
			t.Errorf("after %s the last activity was at %v, want %v", p.Type(), got, at)
		}
	}
	end := r.Status(noon).LastActivity
	r.Apply(loop.Event{Time: noon.Add(time.Hour), Run: "loop_1", Payload: &loop.CheckpointRestored{}})
	if got := r.Status(noon).LastActivity; !got.Equal(end) {
		t.Errorf("a rollback after the end moved the last activity to %v", got)
	}
}
