package view

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ran is a run whose iterations took so many milliseconds each.
func ran(ms ...int) *Run {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7", Procedure: "build", Agent: "claude"})
	for _, took := range ms {
		n := r.sum.Next()
		r.add(n, 1, &loop.IterationStarted{})
		r.add(n, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Duration: loop.Span(time.Duration(took) * time.Millisecond)}})
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
		span := loop.Span(time.Duration(v) * time.Millisecond)
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
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(i + 1))
		case reflect.Float64:
			f.SetFloat(float64(i + 1))
		case reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("%s is a %s: add it up", v.Type().Field(i).Name, f.Kind())
		}
	}
	got := reflect.ValueOf(sum(one, one))
	for i := range v.NumField() {
		name, was, is := v.Type().Field(i).Name, v.Field(i), got.Field(i)
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
			Result: result, Progress: &yes, Gates: []loop.Gate{{Name: "test", OK: true}},
			Usage: &loop.Usage{CostUSD: 0.1}, Duration: loop.Span(time.Second),
		}})
	}
	r.add(0, 0, &loop.RunFinished{State: loop.Done, Proven: true, Elapsed: loop.Span(time.Minute)})
	s := fold(r.events...).Stats(noon)
	if s.Runs != 1 || s.Done != 1 || s.Proven != 1 || s.Elapsed != loop.Span(time.Minute) {
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
