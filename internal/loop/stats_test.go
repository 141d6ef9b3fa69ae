package loop

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUsageAddsUp(t *testing.T) {
	one := &Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CostUSD: 0.1, ContextPercent: 50, Turns: 5}
	two := &Usage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, CostUSD: 0.2, CostEstimated: true, ContextPercent: 90, Turns: 7}
	for _, tt := range []struct {
		name    string
		u, more *Usage
		want    Usage
	}{
		{"nothing was told", nil, nil, Usage{}},
		{"the second told nothing", one, nil, *one},
		{"the first told nothing: contexts do not add up", nil, two, Usage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, CostUSD: 0.2, CostEstimated: true, Turns: 7}},
		{"both", one, two, Usage{Input: 11, Output: 22, CacheRead: 33, CacheWrite: 44, CostUSD: 0.3, CostEstimated: true, ContextPercent: 50, Turns: 12}},
	} {
		if diff := cmp.Diff(tt.want, tt.u.Plus(tt.more)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	var none *Usage
	if none.Tokens() != 0 || none.Cost() != 0 || none.Estimated() {
		t.Error("what was not told is not 0")
	}
	if two.Tokens() != 100 || two.Cost() != 0.2 || !two.Estimated() || one.Estimated() || (&Usage{CostEstimated: true}).Estimated() {
		t.Error("tokens, cost or whether it is an estimate is wrong")
	}
}

func TestTestsOfTwoGatesAddUp(t *testing.T) {
	one := &Tests{Framework: "go", Total: 3, Passed: 1, Failed: 1, Skipped: 1, Failing: []string{"a"}}
	two := &Tests{Framework: "jest", Total: 30, Passed: 10, Failed: 10, Skipped: 10, Failing: []string{"b"}}
	both := &Tests{Framework: "go+jest", Total: 33, Passed: 11, Failed: 11, Skipped: 11, Failing: []string{"a", "b"}}
	twice := &Tests{Framework: "go", Total: 6, Passed: 2, Failed: 2, Skipped: 2, Failing: []string{"a", "a"}}
	for _, tt := range []struct{ t, more, want *Tests }{{nil, nil, nil}, {one, nil, one}, {nil, two, two}, {one, two, both}, {one, one, twice}} {
		if diff := cmp.Diff(tt.want, tt.t.Plus(tt.more)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTotals(t *testing.T) {
	changed := &Changes{Created: 1, Modified: 2, Deleted: 3, LinesAdded: 40, LinesRemoved: 50, Commits: 6}
	full := Outcome{
		Result: OK, Exit: code(0), Work: Work{Progress: yes(), Changes: changed}, Left: Left{Checkpoint: "c"},
		Gates: []Gate{{Name: "test", OK: true, Tests: 9}}, Tests: &Tests{Total: 9, Passed: 7, Failed: 1, Skipped: 1},
		Usage: &Usage{Input: 100, CostUSD: 0.5}, Duration: Millis(time.Minute),
	}
	as := func(change func(*Outcome)) Outcome {
		o := full
		change(&o)
		return o
	}
	sum := Totals{
		Iterations: 1, OK: 1, Commits: 6, Files: 6, LinesAdded: 40, LinesRemoved: 50, Tokens: 100, CostUSD: 0.5, Duration: Millis(time.Minute),
		FilesCreated: 1, FilesModified: 2, FilesDeleted: 3, TestsRun: 8, TestsPassed: 7, TestsFailed: 1, Proven: 1,
	}
	with := func(change func(*Totals)) Totals {
		t := sum
		change(&t)
		return t
	}
	noTests := func(t *Totals) { t.TestsRun, t.TestsPassed, t.TestsFailed, t.Proven = 0, 0, 0, 0 }
	for _, tt := range []struct {
		name    string
		outcome Outcome
		want    Totals
	}{
		{"an iteration", full, sum},
		{"its cost was worked out", as(func(o *Outcome) { o.Usage = &Usage{Input: 100, CostUSD: 0.5, CostEstimated: true} }), with(func(t *Totals) { t.CostEstimated = true })},
		{"a gate is red", as(func(o *Outcome) { o.Gates = []Gate{{Name: "test", Tests: 9}} }), with(func(t *Totals) { t.Proven = 0 })},
		{"without progress", as(func(o *Outcome) { o.Progress = no() }), with(func(t *Totals) { t.Proven = 0 })},
		{"without gates", as(func(o *Outcome) { o.Gates = nil }), with(func(t *Totals) { t.Proven = 0 })},
		{"skipped", as(func(o *Outcome) { o.Result = Skipped }), with(func(t *Totals) { t.OK, t.Skipped = 0, 1; noTests(t) })},
		{"it did not count, and cost all the same", as(func(o *Outcome) { o.Result = Limited }), with(func(t *Totals) { t.Iterations, t.OK = 0, 0; noTests(t) })},
		{"timed out", as(func(o *Outcome) { o.Result = TimedOut }), with(func(t *Totals) { t.OK, t.TimedOut, t.Proven = 0, 1, 0 })},
		{"idle", as(func(o *Outcome) { o.Result = Idle }), with(func(t *Totals) { t.OK, t.TimedOut, t.Proven = 0, 1, 0 })},
		{"failed", as(func(o *Outcome) { o.Result = Failed }), with(func(t *Totals) { t.OK, t.Failed, t.Proven = 0, 1, 0 })},
		{"nothing is known of files", as(func(o *Outcome) { o.Changes = nil }), with(func(t *Totals) {
			t.Commits, t.Files, t.LinesAdded, t.LinesRemoved, t.FilesCreated, t.FilesModified, t.FilesDeleted = 0, 0, 0, 0, 0, 0, 0
		})},
	} {
		if diff := cmp.Diff(tt.want, State{}.Add(tt.outcome).Totals); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	before := State{Counting: CountPolicy{Ratchet: true}}.Add(full)
	worse := as(func(o *Outcome) { o.Gates, o.Net = []Gate{{Name: "test"}}, &Changes{} })
	after := before.Add(worse)
	if after.Totals.Files != 6 || after.Totals.LinesAdded != 40 || after.Totals.Commits != 12 || after.Net != before.Net || after.Unrewarded != 0.5 {
		t.Errorf("what is undone is no change, but costs: %+v, %v unrewarded", after.Totals, after.Unrewarded)
	}
	if after = after.Add(full); after.Unrewarded != 0 || after.Next() != 4 {
		t.Errorf("after progress %v is unrewarded, and number %d comes next", after.Unrewarded, after.Next())
	}
}

func TestHowLongIterationsTake(t *testing.T) {
	var s State
	for _, took := range []time.Duration{4 * time.Second, 2 * time.Second, 6 * time.Second} {
		s = s.Add(Outcome{Result: OK, Exit: code(0), Duration: Millis(took)})
	}
	s = s.Add(Outcome{Result: Skipped, Duration: Millis(time.Hour)}).Add(Outcome{Result: Limited, Duration: Millis(time.Hour)})
	d := s.Durations
	if d.N != 3 || d.Mean != 4000 || math.Abs(d.Squares-8e6) > 1 || d.Min.Duration() != 2*time.Second || d.Max.Duration() != 6*time.Second {
		t.Errorf("durations %+v, want 3 with a mean of 4 s, between 2 and 6", d)
	}
}

func TestASpanIsWholeMillisecondsInJSON(t *testing.T) {
	b, err := json.Marshal(Millis(1500*time.Millisecond + 999*time.Microsecond))
	if err != nil || string(b) != "1500" {
		t.Errorf("%s, %v, want 1500", b, err)
	}
	var s Millis
	if err := json.Unmarshal([]byte("1500"), &s); err != nil || s.Duration() != 1500*time.Millisecond {
		t.Errorf("%s, %v, want 1.5 s", s.Duration(), err)
	}
	if err := json.Unmarshal([]byte(`"1.5s"`), &s); err == nil {
		t.Error("a span in words was read")
	}
}
