package stop

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func exit(n int) *loop.Exit { return &loop.Exit{Code: &n, Cause: loop.Exited} }

func stuck() *bool { v := false; return &v }

// everything is an outcome and a past about which every rule from "who wins"
// has an opinion; row by row the strongest cause is taken away.
func everything() (Settings, loop.Facts) {
	s := Settings{
		Done:     Completion{Promise: true, Proof: true},
		Limit:    ProviderPolicy{Wait: true, MaxWait: time.Hour, Backoff: time.Second},
		Pace:     Pacing{Delay: time.Second},
		Failures: 1, RedGates: 1, TestFailures: 1, NoProgress: 1,
		Repeats: 1, Values: setting.Values{unrewardedKey: 1.0, "stop.max_files": 1},
		Iterations: 1, Time: time.Minute, CostUSD: 1, Tokens: 1, Session: Sessions{Keep: true, Redline: 80},
		Own: []loop.Rule{Own("own", func(loop.Facts) loop.Verdict { return loop.Verdict{Action: loop.Stop} })},
	}
	return s, loop.Facts{
		Now:   noon,
		Asked: &loop.StopRequest{Now: true, Signal: "INT"},
		State: loop.State{
			Streaks: loop.Streaks{Failures: 1, RedGates: 1, TestFailures: 1, NoProgress: 1},
			Totals:  loop.Totals{Iterations: 1, CostUSD: 1, Tokens: 1},
			Live:    loop.Millis(time.Hour), At: noon,
			Provider: loop.Provider{ProviderHolds: []loop.ProviderHold{{Kind: loop.ErrUsageLimit, Since: noon, At: noon, Tries: 1}}},
			Repeats:  loop.Repeats{Tests: loop.Repeat{Mark: "x", N: 1}}, Unrewarded: 1,
			Session: &loop.Session{ID: "s", Since: noon, Percent: 90}, Tree: loop.Tree{Net: &loop.Changes{Created: 2}},
		},
		Outcome: &loop.Outcome{
			Result:  loop.Failed,
			Exit:    exit(0),
			Error:   &loop.AgentError{Kind: loop.ErrMissing},
			Claim:   &loop.Claim{Kind: loop.ClaimBlocked},
			Hook:    &loop.Hook{Point: "post_iteration", Exit: 2},
			Scripts: []string{"s"}, Matched: []string{"p"},
		},
	}
}

// Who wins, from the strongest to the weakest. Each row removes its own cause
// and leaves the rest, so the next row shows who comes after it.
func TestWhoWins(t *testing.T) {
	settings, f := everything()
	rows := []struct {
		wins   string
		remove func()
	}{
		{"signal", func() { f.Asked = &loop.StopRequest{Signal: "INT"} }},
		{"fatal", func() { f.Outcome.Result, f.Outcome.Error = loop.Limited, &loop.AgentError{Kind: loop.ErrPermission} }},
		{"limit", func() { f.Outcome.Result, f.State.ProviderHolds = loop.OK, nil }},
		{"blocked", func() { f.Outcome.Claim = &loop.Claim{Kind: loop.ClaimDone, By: loop.ByPromise, Proven: true} }},
		{"promise", func() { f.Outcome.Claim = nil }},
		{"signal", func() { f.Asked = nil }},
		{"hook", func() { f.Outcome.Hook = nil }},
		{"script", func() { f.Outcome.Scripts = nil }},
		{"pattern", func() { f.Outcome.Matched = nil }},
		{"permissions", func() { f.Outcome.Error = nil }},
		{"failures", func() { f.State.Streaks.Failures = 0 }},
		{"red_gates", func() { f.State.Streaks.RedGates = 0 }},
		{"test_failures", func() { f.State.Streaks.TestFailures = 0 }},
		{"no_progress", func() { f.State.Streaks.NoProgress = 0 }},
		{"repeats", func() { f.State.Repeats = loop.Repeats{} }},
		{"cost_without_progress", func() { f.State.Unrewarded = 0 }},
		{"iterations", func() { f.State.Totals.Iterations = 0 }},
		{"time", func() { f.State.Live = 0 }},
		{"cost", func() { f.State.Totals.CostUSD = 0 }},
		{"tokens", func() { f.State.Totals.Tokens = 0 }},
		{"files", func() { f.State.Tree.Net = nil }},
		{"own", func() { settings.Own = nil }},
		{"redline", func() { f.State.Session = nil }},
		{"delay", func() { settings.Pace.Delay = 0 }},
	}
	for i, row := range rows {
		if v := first(settings, f); v.Rule != row.wins {
			t.Fatalf("row %d: %q wins (%s), want %q", i+1, v.Rule, v.Why, row.wins)
		}
		row.remove()
	}
	if v := first(settings, f); v.Action != "" {
		t.Errorf("with no cause left %q has an opinion (%s)", v.Rule, v.Why)
	}
}

// With the limit first, only what is noticed in the work comes later: whoever ends a
// run by hand, a hook or a failure still does.
func TestWhoWinsWithTheLimitFirst(t *testing.T) {
	settings, f := everything()
	settings.LimitFirst = true
	f.Asked, f.Outcome.Result, f.Outcome.Error, f.State.ProviderHolds = &loop.StopRequest{Signal: "INT"}, loop.OK, nil, nil
	f.Outcome.Claim = &loop.Claim{Kind: loop.ClaimDone, By: loop.ByPromise, Proven: true}
	f.Outcome.Scripts, f.Outcome.Matched = nil, nil
	rows := []struct {
		wins   string
		remove func()
	}{
		{"signal", func() { f.Asked = nil }},
		{"hook", func() { f.Outcome.Hook = nil }},
		{"failures", func() { f.State.Streaks.Failures = 0 }},
		{"iterations", func() { f.State.Totals.Iterations = 0 }},
		{"promise", func() { f.Outcome.Claim = nil }},
		{"red_gates", func() { f.State.Streaks.RedGates = 0 }},
		{"test_failures", func() { f.State.Streaks.TestFailures = 0 }},
		{"no_progress", func() { f.State.Streaks.NoProgress = 0 }},
		{"repeats", func() { f.State.Repeats = loop.Repeats{} }},
		{"cost_without_progress", func() { f.State.Unrewarded = 0 }},
		{"time", func() {}},
	}
	for i, row := range rows {
		if v := first(settings, f); v.Rule != row.wins {
			t.Fatalf("row %d: %q wins (%s), want %q", i+1, v.Rule, v.Why, row.wins)
		}
		row.remove()
	}
}

// first is the verdict of the rules on a state that the outcome is already in.
func first(s Settings, f loop.Facts) loop.Verdict {
	for _, rule := range Rules(s) {
		if v := rule(f); v.Action != "" {
			return v
		}
	}
	return none
}

func TestAVerdictNamesPinnedFilesThatWereChanged(t *testing.T) {
	o := loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, By: loop.ByPromise, Proven: true}, Pinned: []string{"a_test.go"}}
	v := finished(Completion{Promise: true, Proof: true})(loop.Facts{Outcome: &o})
	if !strings.Contains(v.Why, "a_test.go") {
		t.Errorf("why = %q, want it to name a_test.go", v.Why)
	}
}

func TestEveryStopSaysWhy(t *testing.T) {
	settings, f := everything()
	for i, rule := range Rules(settings) {
		if v := rule(f); v.Action != "" && (v.Why == "" || v.Rule == "") {
			t.Errorf("rule %d gives %+v: no name or no evidence", i+1, v)
		}
	}
}

func TestFinished(t *testing.T) {
	claim := func(proven bool, why string) *loop.Claim {
		return &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", By: loop.ByPromise, Proven: proven, Why: why}
	}
	by := func(reason loop.Reason) *loop.Claim {
		return &loop.Claim{Kind: loop.ClaimDone, By: reason, Proven: true}
	}
	green := []loop.Gate{{Name: "test", OK: true}}
	red := []loop.Gate{{Name: "test"}}
	tests := []struct {
		name   string
		c      Completion
		o      loop.Outcome
		stops  bool
		proven bool
		reason loop.Reason
	}{
		{"a claim without gates stops, unproven", Completion{Promise: true}, loop.Outcome{Claim: claim(false, "")}, true, false, loop.ByPromise},
		{"a claim that the gates prove stops", Completion{Promise: true, Proof: true}, loop.Outcome{Claim: claim(true, "")}, true, true, loop.ByPromise},
		{"a claim that the gates have not proven goes on", Completion{Promise: true, Proof: true}, loop.Outcome{Claim: claim(false, "")}, false, false, ""},
		{"a refused claim goes on", Completion{Promise: true}, loop.Outcome{Claim: claim(false, "gate test failed")}, false, false, ""},
		{"a proven claim waits to be confirmed", Completion{Promise: true, Proof: true, Confirmations: 2}, loop.Outcome{Claim: claim(true, "")}, false, false, ""},
		{"a finished plan stops as plan", Completion{Plan: true}, loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, By: loop.ByPlan}}, true, false, loop.ByPlan},
		{"passing gates alone, when that was asked for", Completion{Gates: true, Proof: true}, loop.Outcome{Result: loop.OK, Gates: green, Claim: by(loop.ByGates)}, true, true, loop.ByGates},
		{"failing gates go on", Completion{Gates: true, Proof: true}, loop.Outcome{Result: loop.Failed, Gates: red}, false, false, ""},
		{"exit 0, when that was asked for", Completion{ExitZero: true}, loop.Outcome{Result: loop.OK, Exit: exit(0)}, true, false, loop.ByExitZero},
		{"exit 0 with gates that agree", Completion{ExitZero: true, Proof: true}, loop.Outcome{Result: loop.OK, Exit: exit(0), Claim: by(loop.ByExitZero)}, true, true, loop.ByExitZero},
		{"exit 0 with gates that were not asked", Completion{ExitZero: true, Proof: true}, loop.Outcome{Result: loop.OK, Exit: exit(0)}, false, false, ""},
		{"exit 0 is nothing when it was not", Completion{Promise: true}, loop.Outcome{Result: loop.OK, Exit: exit(0)}, false, false, ""},
		{"exit 1 goes on", Completion{ExitZero: true}, loop.Outcome{Result: loop.Failed, Exit: exit(1)}, false, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := finished(tt.c)(loop.Facts{Outcome: &tt.o, State: loop.State{Claims: loop.Claims{Confirmed: 1}}})
			if stops := v.Action == loop.Stop; stops != tt.stops || v.Proven != tt.proven || v.Reason != tt.reason {
				t.Errorf("finished(%+v) on %+v = %+v, want stop %v, proven %v, reason %q", tt.c, tt.o, v, tt.stops, tt.proven, tt.reason)
			}
		})
	}
}

func TestIterationsIsDoneOnlyWhenNothingElseWasAsked(t *testing.T) {
	tests := []struct {
		name   string
		asked  bool
		lastOK bool
		want   loop.Status
	}{
		{"nothing asked, last one ok", false, true, loop.Done},
		{"nothing asked, last one failed", false, false, loop.Exhausted},
		{"a promise was asked for", true, true, loop.Exhausted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := loop.Facts{State: loop.State{Totals: loop.Totals{Iterations: 3}, Tries: loop.Tries{LastOK: tt.lastOK}}}
			if v := iterations(3, tt.asked)(f); v.State != tt.want || v.Reason != loop.ByIterations {
				t.Errorf("verdict = %+v, want state %q", v, tt.want)
			}
		})
	}
}

func TestProviderLimit(t *testing.T) {
	at := func(d time.Duration) *loop.Limit { return &loop.Limit{Kind: "five_hour", Until: noon.Add(d)} }
	day := ProviderPolicy{Wait: true, MaxWait: 6 * time.Hour, Backoff: time.Second, Margin: 2 * time.Second}
	tests := []struct {
		name  string
		h     ProviderPolicy
		o     loop.Outcome
		tries int
		since time.Duration
		want  loop.Verdict
	}{
		{
			"waits to the stated reset and a little longer", day,
			loop.Outcome{Result: loop.Limited, Limit: at(time.Hour)},
			1, 0,
			loop.Verdict{Action: loop.Wait, Until: noon.Add(time.Hour + 2*time.Second)},
		},
		{
			"a reset in the past is no reset", day,
			loop.Outcome{Result: loop.Limited, Limit: at(-time.Hour)},
			3, time.Minute,
			loop.Verdict{Action: loop.Wait, Until: noon.Add(4 * time.Second)},
		},
		{
			"no time stated: doubling, capped", day,
			loop.Outcome{Result: loop.Limited},
			30, time.Minute,
			loop.Verdict{Action: loop.Wait, Until: noon.Add(10 * time.Minute)},
		},
		{
			"a reset too far away stops at once", day,
			loop.Outcome{Result: loop.Limited, Limit: at(7 * time.Hour)},
			1, 0,
			loop.Verdict{Action: loop.Stop, State: loop.Aborted, Reason: loop.ByWaitTooLong},
		},
		{
			"no time stated for too long", day,
			loop.Outcome{Result: loop.Limited},
			30, 7 * time.Hour,
			loop.Verdict{Action: loop.Stop, State: loop.Aborted, Reason: loop.ByWaitTooLong},
		},
		{
			"waiting switched off",
			ProviderPolicy{},
			loop.Outcome{Result: loop.Limited, Limit: at(time.Minute)},
			1, 0,
			loop.Verdict{Action: loop.Stop, State: loop.Aborted, Reason: loop.ByWaitTooLong},
		},
		{
			"an outage backs off", day,
			loop.Outcome{Result: loop.Unavailable},
			2, time.Minute,
			loop.Verdict{Action: loop.Wait, Until: noon.Add(2 * time.Second)},
		},
		{
			"an outage that lasts", day,
			loop.Outcome{Result: loop.Unavailable},
			40, 7 * time.Hour,
			loop.Verdict{Action: loop.Stop, State: loop.Aborted, Reason: loop.ByProvider},
		},
		{
			"an outage with waiting switched off",
			ProviderPolicy{},
			loop.Outcome{Result: loop.Unavailable},
			1, 0,
			loop.Verdict{Action: loop.Stop, State: loop.Aborted, Reason: loop.ByProvider},
		},
		{
			"a reset beyond the run's time",
			ProviderPolicy{Wait: true, MaxTime: 30 * time.Minute},
			loop.Outcome{Result: loop.Limited, Limit: at(time.Hour)},
			1, 0,
			loop.Verdict{Action: loop.Stop, State: loop.Exhausted, Reason: loop.ByTime},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.EndedAt = noon
			var s loop.State
			for i := range tt.tries {
				o := tt.o
				if i == 0 && tt.tries > 1 {
					o.EndedAt = noon.Add(-tt.since)
				}
				s = s.Add(o)
			}
			v := providerLimit(tt.h)(loop.Facts{Now: noon, Outcome: &tt.o, State: s})
			if v.Action != tt.want.Action || v.State != tt.want.State || v.Reason != tt.want.Reason || !v.Until.Equal(tt.want.Until) {
				t.Errorf("ProviderLimit = %+v, want %+v", v, tt.want)
			}
		})
	}
}

func TestPace(t *testing.T) {
	p := Pacing{Backoff: time.Second, MaxBackoff: 60 * time.Second}
	tests := []struct {
		name string
		p    Pacing
		o    loop.Outcome
		row  int
		want time.Duration
	}{
		{"a good iteration is followed at once", p, loop.Outcome{Result: loop.OK, Work: loop.Work{Progress: stuck()}}, 0, 0},
		{"the first failure waits a second", p, loop.Outcome{Result: loop.Failed}, 1, time.Second},
		{"the third four", p, loop.Outcome{Result: loop.Failed}, 3, 4 * time.Second},
		{"never longer than the cap", p, loop.Outcome{Result: loop.Failed}, 40, 60 * time.Second},
		{"a failed gate is no failure of the agent", p, loop.Outcome{Result: loop.Failed}, 0, 0},
		{"a fixed delay", Pacing{Delay: 5 * time.Second}, loop.Outcome{Result: loop.OK}, 0, 5 * time.Second},
		{"the longer of delay and back-off", Pacing{Delay: 5 * time.Second, Backoff: time.Second, MaxBackoff: time.Minute}, loop.Outcome{Result: loop.Failed}, 1, 5 * time.Second},
		{"no back-off when switched off", Pacing{MaxBackoff: time.Minute}, loop.Outcome{Result: loop.Failed}, 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := pace(tt.p)(loop.Facts{Now: noon, Outcome: &tt.o, State: loop.State{Streaks: loop.Streaks{Failures: tt.row}}})
			if got := v.For.Duration(); got != tt.want {
				t.Errorf("pause = %s, want %s", got, tt.want)
			}
		})
	}
	if v := pace(p)(loop.Facts{}); v.Action != "" {
		t.Errorf("with no outcome Pace has an opinion: %+v", v)
	}
}

func TestSignInThatExpiresInTheNightIsNotFatal(t *testing.T) {
	auth := &loop.Outcome{Result: loop.Failed, Error: &loop.AgentError{Kind: loop.ErrAuth}}
	if v := fatal()(loop.Facts{Outcome: auth}); v.Reason != loop.ByNotSignedIn || v.State != loop.CouldNotRun {
		t.Errorf("at the start: %+v, want it to end not signed in", v)
	}
	if v := fatal()(loop.Facts{Outcome: auth, State: loop.State{Provider: loop.Provider{PrimaryWorked: true}}}); v.Action != "" {
		t.Errorf("after the agent worked: %+v, want no opinion", v)
	}
}

func TestEveryLimitThatTheJournalTellsComesFromARule(t *testing.T) {
	limits := Limits(Settings{
		Iterations: 1, Time: time.Second, CostUSD: 1, Tokens: 1, Failures: 1, RedGates: 1, TestFailures: 1, NoProgress: 1,
		Session: Sessions{Keep: true, Redline: 85}, Values: setting.Values{"stop.max_files": 1},
	})
	v := reflect.ValueOf(limits)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("no rule says what %s is", v.Type().Field(i).Name)
		}
	}
}

// A rule that blames a setting, or that what-if can decide again, has words for
// it: nothing else would tell people of it.
func TestEveryRuleIsWhole(t *testing.T) {
	for i, r := range Known() {
		if r.Decide == nil && r.Name != "rules of a program's own" || len(r.Ends) > 0 && r.Name == "" {
			t.Errorf("rule %d: %+v: no name, or no decision", i+1, r)
		}
		if r.CanEnd {
			t.Errorf("rule %s can end a run though nothing is set", r.Name)
		}
		for _, e := range r.Ends {
			if e.Reason == "" || e.State == "" || e.When == "" || e.Key != "" && e.Short == "" && e.Reason != loop.ByWaitTooLong {
				t.Errorf("rule %s: %+v: not all is said", r.Name, e)
			}
		}
		for _, row := range r.Rows {
			if Redecidable(row.Key) != r.Redecidable {
				t.Errorf("%s: what-if can decide it again: %v, want %v", row.Key, !r.Redecidable, r.Redecidable)
			}
		}
	}
}
