package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// start is a run that has just begun.
func start() *scene { return begin(&loop.RunStarted{Name: "run-1"}) }

func TestMoods(t *testing.T) {
	type stretch struct {
		Mood string
		For  time.Duration
	}
	for _, tt := range []struct {
		name  string
		scene *scene
		want  []stretch
	}{
		{"nothing lasted", start(), nil},
		{"a run under way lasts until now", start().after(time.Minute), []stretch{{"running", time.Minute}}},
		{
			"gates before the first iteration", start().tell(&loop.GateStarted{}).after(time.Minute).tell(&loop.RunBaseline{}).after(time.Second).tell(&loop.Warning{}),
			[]stretch{{"gates", time.Minute}, {"running", time.Second}},
		},
		{
			"an iteration with gates", start().attempt(loop.Outcome{Duration: loop.Millis(time.Minute), Gates: []loop.Gate{{Duration: loop.Millis(time.Second)}}}, goOn).finish(loop.Done, "", "", true),
			[]stretch{{"running", time.Minute}, {"gates", time.Second}},
		},
		{
			"a wait ends with the next attempt", start().wait("limit", "", time.Hour).attempt(ok(time.Minute), goOn),
			[]stretch{{"waiting", time.Hour}, {"running", time.Minute}},
		},
		{
			"a pause and a reboot", start().tell(&loop.RunPaused{}).after(time.Hour).tell(&loop.RunUnpaused{}).after(time.Second).
				tell(&loop.RunRebootStarted{}).after(time.Minute).tell(&loop.RunRebootFinished{}).after(time.Second),
			[]stretch{{"paused", time.Hour}, {"running", time.Second}, {"rebooting", time.Minute}, {"running", time.Second}},
		},
		{
			"a resume after an end", start().after(time.Second).finish(loop.Stopped, "", "", false).after(time.Hour).tell(&loop.RunResumed{}).after(time.Second),
			[]stretch{{"running", time.Second}, {"not running", time.Hour}, {"running", time.Second}},
		},
		{
			"a runner that died in a wait", start().after(time.Second).wait("limit", "", time.Hour).tell(&loop.RunResumed{}).after(time.Second),
			[]stretch{{"running", time.Second}, {"not running", time.Hour}, {"running", time.Second}},
		},
		{"the end is the end", start().after(time.Second).finish(loop.Done, "", "", true).after(time.Hour), []stretch{{"running", time.Second}}},
		{
			"a clock that was put back", start().after(time.Minute).tell(&loop.Warning{}).after(-time.Hour).tell(&loop.RunPaused{}).after(2 * time.Hour).tell(&loop.RunUnpaused{}),
			[]stretch{{"running", time.Minute}, {"paused", time.Hour}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []stretch
			for _, s := range tt.scene.data().spans {
				got = append(got, stretch{activityNames[s.activity].says, time.Duration(s.to-s.from) * time.Millisecond})
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("timeline (-want +got):\n%s", d)
			}
		})
	}
}

func TestWaitsAddUp(t *testing.T) {
	s := start().wait("limit", "five hours", time.Hour).attempt(ok(time.Second), goOn).
		wait("limit", "five hours again", 2*time.Hour).attempt(ok(time.Second), goOn).
		wait("backoff", "failure 1", time.Second).wait("backoff", "failure 2", 2*time.Second).
		wait("delay", "a pause", time.Minute).tell(&loop.RunResumed{}).
		wait("provider", "overloaded", time.Minute)
	want := []wait{
		{"limit", "five hours again", 2, 3 * time.Hour, 2 * time.Hour},
		{"backoff", "failure 2", 2, 3 * time.Second, 2 * time.Second},
		{"delay", "a pause", 1, 0, 0}, // its runner died
		{"provider", "overloaded", 1, time.Minute, time.Minute},
	}
	for range 2 { // asking does not end the wait under way
		if d := cmp.Diff(want, s.data().waits, cmp.AllowUnexported(wait{})); d != "" {
			t.Errorf("waits (-want +got):\n%s", d)
		}
	}
}

func TestRefusalsAreGrouped(t *testing.T) {
	s := start()
	refuse := func(iter int, why string, near bool) {
		s.place = place{iter, 1}
		s.tell(&loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: why, NearMiss: near})
	}
	refuse(1, "3 tests fail", false)
	refuse(1, "3 tests fail", false) // judged again
	refuse(2, "3 tests fail", false)
	refuse(3, "in backticks", true)
	refuse(4, "3 tests fail", false)
	list := s.data().refusals
	if len(list) != 2 || list[0].times != 3 || list[1].times != 1 || !list[1].near {
		t.Fatalf("refusals = %+v", list)
	}
	if d := cmp.Diff([]place{{1, 1}, {2, 1}, {4, 1}}, list[0].places, cmp.AllowUnexported(place{})); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
	for i := range 2 * maxRefusals {
		refuse(10+i, fmt.Sprint("reason ", i), false)
	}
	if d := s.data(); len(d.refusals) != maxRefusals || d.unsaid != maxRefusals+2 {
		t.Errorf("%d refusals are listed and %d counted", len(d.refusals), d.unsaid)
	}
}

func TestWarningsAreSaidOnce(t *testing.T) {
	s := start()
	for i := range 300 {
		s.tell(&loop.Warning{Text: "the disk is full", Hint: "make room"}, &loop.Warning{Text: fmt.Sprint("warning ", i%60)})
	}
	d := s.data()
	if len(d.warnings) != maxWarnings || d.warnings[0].times != 300 || d.unwarned != 11*5 {
		t.Errorf("%d warnings, the first %d times, %d more", len(d.warnings), d.warnings[0].times, d.unwarned)
	}
}

func TestWhichAttemptsAreListed(t *testing.T) {
	for _, tt := range []struct {
		name           string
		total, every   int // one in so many is notable
		listed, counts int
	}{
		{"none", 0, 1, 0, 0},
		{"a run of the usual length is listed in full", maxListed, 7, maxListed, 0},
		{"a longer one: the last, and the notable ones", 10_000, 100, 500 + 95, 9405},
		{"all of them notable", 20_000, 1, lastListed + maxNotable, 17_500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a attempts
			for i := 1; i <= tt.total; i++ {
				a.add(attempt{place: place{i, 1}, notable: i%tt.every == 0})
				if len(a.list) > 2*(maxListed+maxNotable) {
					t.Fatalf("%d are kept", len(a.list))
				}
			}
			list, more := a.listed()
			if len(list) != tt.listed || more != tt.counts {
				t.Errorf("%d are listed and %d counted, want %d and %d", len(list), more, tt.listed, tt.counts)
			}
			for i := 1; i < len(list); i++ {
				if list[i].iter <= list[i-1].iter {
					t.Fatal("the list is out of order")
				}
			}
		})
	}
}

func TestRemarks(t *testing.T) {
	one := 1
	stop := loop.Verdict{Action: loop.Stop, Why: "3 failures in a row"}
	for _, tt := range []struct {
		name    string
		outcome loop.Outcome
		verdict loop.Verdict
		undone  string
		want    string
	}{
		{"nothing to say", ok(0), goOn, "", ""},
		{"a refused claim", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, Why: "2 tests fail"}, Gates: []loop.Gate{{Name: "test", Why: "2 tests fail"}}}, goOn, "", "claimed done, refused: 2 tests fail"},
		{"a proven one", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, Proven: true}}, loop.Verdict{Action: loop.Stop}, "", "claimed done, proven; stop"},
		{"blocked", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimBlocked, Text: "no key"}}, goOn, "", "said it is blocked: no key"},
		{"red gates, but not the known ones", loop.Outcome{Gates: []loop.Gate{{Name: "test", Why: "exit 1"}, {Name: "lint", Known: true}}}, goOn, "worse", "test failed (exit 1); undone: worse"},
		{"an exit", loop.Outcome{Exit: &loop.Exit{Code: &one}}, stop, "", "exit status 1; stop: 3 failures in a row"},
		{"a limit is said once", loop.Outcome{Limit: &loop.Limit{Kind: "weekly"}}, loop.Verdict{Action: loop.Wait, Why: "usage limit (weekly)"}, "", "wait: usage limit (weekly)"},
		{"an error of a kind", loop.Outcome{Error: &loop.AgentError{Kind: loop.ErrMaxTurns, Message: "50"}}, goOn, "", "max turns: 50"},
		{"a hook", loop.Outcome{Hook: &loop.Hook{Point: "post_iteration", Exit: 2, Why: "enough"}}, goOn, "", "the post_iteration hook exited with status 2: enough"},
	} {
		if got := remark(&tt.outcome, tt.verdict, tt.undone); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
