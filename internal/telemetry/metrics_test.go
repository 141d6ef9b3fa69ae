package telemetry

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func newTestMetrics(t *testing.T, s Settings) *Metrics {
	t.Helper()
	m, err := NewMetrics(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMetricsOfANight(t *testing.T) {
	m := newTestMetrics(t, Settings{Version: "1.2.3"})
	newTeller(m).night()
	got := read(t, m)
	for key, want := range map[string]float64{
		"refrain_iterations_total{result=ok}":                                 1,
		"refrain_iterations_total{result=failed}":                             1,
		"refrain_iterations_total{result=limited}":                            0,
		"refrain_attempts_total{result=limited}":                              1,
		"refrain_attempts_total{result=lost}":                                 0,
		"refrain_tokens_total{kind=input}":                                    100,
		"refrain_tokens_total{kind=output}":                                   550,
		"refrain_tokens_total{kind=cache_read}":                               800,
		"refrain_cost_usd_total{estimated=false}":                             0.25,
		"refrain_cost_usd_total{estimated=true}":                              0.25,
		"refrain_waits_total{rule=limit}":                                     1,
		"refrain_wait_seconds_total":                                          3602,
		"refrain_limits_total{kind=five_hour}":                                1,
		"refrain_claims_total{kind=done}":                                     1,
		"refrain_claims_refused_total":                                        1,
		"refrain_claims_near_miss_total":                                      0,
		"refrain_reboots_total":                                               0,
		"refrain_tool_calls_total{tool=Bash}":                                 1,
		"refrain_tool_failures_total":                                         2,
		"refrain_gates_total{gate=test}":                                      2,
		"refrain_gate_failures_total{gate=test}":                              1,
		"refrain_hooks_total{point=started}":                                  1,
		"refrain_files_changed_total":                                         3,
		"refrain_lines_added_total":                                           40,
		"refrain_commits_total":                                               1,
		"refrain_checkpoints_total":                                           1,
		"refrain_warnings_total":                                              1,
		"refrain_commands_total{command=note}":                                1,
		"refrain_iteration_duration_seconds_count":                            2,
		"refrain_iteration_duration_seconds_sum":                              345,
		"refrain_iteration_duration_seconds_bucket{le=30}":                    0,
		"refrain_iteration_duration_seconds_bucket{le=60}":                    1,
		"refrain_iteration_duration_seconds_bucket{le=300}":                   2, // a value on the bound is within it
		"refrain_iteration_duration_seconds_bucket{le=+Inf}":                  2,
		"refrain_run_state{state=done}":                                       1,
		"refrain_run_state{state=running}":                                    0,
		"refrain_proven":                                                      1,
		"refrain_iteration":                                                   2,
		"refrain_max_iterations":                                              10,
		"refrain_streak{kind=failures}":                                       0,
		"refrain_budget_ratio{budget=iterations}":                             0.2,
		"refrain_budget_ratio{budget=cost}":                                   0.25,
		"refrain_budget_ratio{budget=tokens}":                                 0.15,
		"refrain_tests{state=passed}":                                         10,
		"refrain_tests{state=failed}":                                         2,
		"refrain_plan_tasks{state=open}":                                      3,
		"refrain_start_time_seconds":                                          float64(evening.Unix()),
		"refrain_run_info{model=opus-1}{run_id=" + runID + "}{version=1.2.3}": 1,
	} {
		if v, there := got[key]; !there || v != want {
			t.Errorf("%s = %v (there: %t), want %v", key, v, there, want)
		}
	}
	if _, there := got["refrain_context_ratio"]; there {
		t.Error("the context is told though the last attempt did not tell it")
	}
}

func TestGaugesOfARunUnderWay(t *testing.T) {
	m := newTestMetrics(t, Settings{})
	tell := newTeller(m)
	tell.start()
	if _, there := read(t, m)["refrain_tests{state=passed}"]; there {
		t.Error("tests are told before any were seen")
	}
	tell.begin(1, 1)
	tell.tell(&loop.AgentUsage{Usage: loop.Usage{Output: 5000, CostUSD: 1.6, ContextPercent: 31}})
	got := read(t, m)
	for key, want := range map[string]float64{
		"refrain_context_ratio":               0.31,
		"refrain_budget_ratio{budget=cost}":   0.8,
		"refrain_budget_ratio{budget=tokens}": 0.5,
		"refrain_run_state{state=running}":    1,
	} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
	tell.iter, tell.attempt = 0, 0
	until := tell.at.Add(time.Hour)
	tell.tell(&loop.RunWaiting{Rule: "limit", Until: until})
	if got := read(t, m); got["refrain_run_state{state=waiting}"] != 1 || got["refrain_wait_until_time_seconds"] != float64(until.Unix()) {
		t.Errorf("a wait is not seen in %v", got)
	}
}

func TestAResumedRunKnowsWhereItStands(t *testing.T) {
	seen := view.New()
	tell := newTeller(observe(seen.Apply))
	tell.night()
	m := newTestMetrics(t, Settings{Seen: seen})
	tell.observers = []interface{ Observe(loop.Event) }{m}
	tell.tell(&loop.RunResumed{From: loop.Exhausted, Limits: loop.Limits{Iterations: 20}})
	got := read(t, m)
	for key, want := range map[string]float64{
		"refrain_budget_ratio{budget=iterations}": 0.1,
		"refrain_iteration":                       2,
		"refrain_resumes_total":                   1,
		"refrain_iterations_total{result=ok}":     0,
	} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
}

func TestALabelHasABoundedNumberOfValues(t *testing.T) {
	m := newTestMetrics(t, Settings{})
	tell := newTeller(m)
	tell.start()
	for i := range 3 * maxValues {
		tell.tell(&loop.AgentTool{Name: fmt.Sprint("tool-", i)})
	}
	got := read(t, m)
	if other := got["refrain_tool_calls_total{tool=other}"]; other != 2*maxValues {
		t.Errorf("%v tools count as other, want %d", other, 2*maxValues)
	}
}

func TestTheSameAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the two are made at the same moment
		m := newTestMetrics(t, Settings{})
		newTeller(m).night()
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Name, Type, Help string
			Samples          []struct {
				Name   string
				Labels map[string]string
				Value  float64
			}
		}
		if err := json.Unmarshal(b, &list); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range list {
			if f.Help == "" || !slices.Contains([]string{"counter", "gauge", "histogram"}, f.Type) || len(f.Samples) == 0 {
				t.Errorf("metric %+v is not whole", f)
			}
			for _, s := range f.Samples {
				if n++; s.Labels["run"] != "build-7" || s.Labels["procedure"] != "build" || s.Labels["agent"] != "claude" {
					t.Errorf("%s has labels %v", s.Name, s.Labels)
				}
			}
		}
		if want := len(read(t, m)); n != want {
			t.Errorf("there are %d values, and %d as text", n, want)
		}
	})
}

func TestTheFileIsWrittenOnceASecondAndAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "refrain.prom")
	warnings := func() float64 {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		values, err := parse(b)
		if err != nil {
			t.Fatal(err)
		}
		return values["refrain_warnings_total"]
	}
	synctest.Test(t, func(t *testing.T) {
		m := newTestMetrics(t, Settings{File: files.Anywhere(path), Warn: func(w loop.Warning) { t.Errorf("warned: %s", w.Text) }})
		tell := newTeller(m)
		warn := func() { tell.tell(&loop.Warning{Text: "again"}) }
		warn()
		synctest.Wait()
		if got := warnings(); got != 1 {
			t.Errorf("after the first event the file has %v", got)
		}
		warn()
		warn()
		synctest.Wait()
		if got := warnings(); got != 1 {
			t.Errorf("in the same second the file has %v, want what it had", got)
		}
		time.Sleep(settleTime)
		synctest.Wait()
		if got := warnings(); got != 3 {
			t.Errorf("a second later the file has %v, want 3", got)
		}
		warn()
		if err := m.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := warnings(); got != 4 {
			t.Errorf("at the end the file has %v, want 4", got)
		}
	})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v; want the file alone", entries, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o444 != 0o444 {
		t.Errorf("the file is %v, %v; want one that everybody may read", info.Mode(), err)
	}
}

func TestAFileThatCannotBeWrittenIsToldOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "refrain.prom")
	synctest.Test(t, func(t *testing.T) {
		var warned []string
		m := newTestMetrics(t, Settings{File: files.Anywhere(path), Warn: func(w loop.Warning) { warned = append(warned, w.Text) }})
		tell := newTeller(m)
		for range 3 {
			tell.start()
			time.Sleep(2 * settleTime)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(warned) != 1 {
			t.Errorf("warned of %q, want one warning", warned)
		}
	})
}

// A counter that is not in the table would take the run down with it.
func TestEveryEventCanBeCounted(t *testing.T) {
	c := newCounters()
	for _, p := range []loop.Payload{
		&loop.RunResumed{}, &loop.RunWaiting{Rule: "limit"}, &loop.RunRebootFinished{}, &loop.AgentTool{Name: "Bash"}, &loop.AgentToolResult{Denied: true},
		&loop.AgentLimit{}, &loop.AgentRetry{}, &loop.GateFinished{}, &loop.GateFinished{With: "tests"}, &loop.HookFinished{Point: "started"},
		&loop.ClaimHeard{}, &loop.ClaimRefused{}, &loop.ClaimRefused{NearMiss: true}, &loop.CheckpointMade{}, &loop.CheckpointRestored{},
		&loop.CommandReceived{Command: "stop"}, &loop.Warning{},
		&loop.IterationFinished{Outcome: loop.Outcome{Usage: &loop.Usage{}, Work: loop.Work{Changes: &loop.Changes{}}}},
	} {
		c.add(loop.Event{Time: time.Unix(1, 0), Payload: p})
	}
	for _, row := range counted {
		if len(c.named[row.name].values) == 0 {
			t.Errorf("nothing counts %s", row.name)
		}
	}
}
