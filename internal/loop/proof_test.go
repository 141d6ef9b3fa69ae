package loop

import (
	"fmt"
	"slices"
	"testing"
)

func TestLevelsAreOrdered(t *testing.T) {
	for i, level := range Levels {
		for k, other := range Levels {
			if got := level.AtLeast(other); got != (i <= k) {
				t.Errorf("%s.AtLeast(%s) = %v", level, other, got)
			}
		}
	}
	if Level("odd").AtLeast(LevelClaimed) {
		t.Error("a level that nobody knows is enough")
	}
}

// gate is one that came to its end.
func gateOn(tree string, ok bool) Event {
	exit := 1
	if ok {
		exit = 0
	}
	return Event{Payload: &GateFinished{Gate: Gate{Name: "test", OK: ok, Exit: &exit, Where: InClean, Tree: tree}}}
}

func TestAGateWithTwoAnswersIsFlaky(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []Event
		flaky  bool
	}{
		{"red, then green, on one tree", []Event{gateOn("aaaaaaaaaaaaaaaa", false), gateOn("aaaaaaaaaaaaaaaa", true)}, true},
		{"green, then red", []Event{gateOn("aaaaaaaaaaaaaaaa", true), gateOn("bbbbbbbbbbbbbbbb", true), gateOn("aaaaaaaaaaaaaaaa", false)}, true},
		{"on two trees", []Event{gateOn("aaaaaaaaaaaaaaaa", false), gateOn("bbbbbbbbbbbbbbbb", true)}, false},
		{"on no tree", []Event{gateOn("", false), gateOn("", true)}, false},
		{"in two places", []Event{gateOn("aaaaaaaaaaaaaaaa", false), {Payload: &GateFinished{Gate: Gate{Name: "test", OK: true, Where: InWorkspace, Tree: "aaaaaaaaaaaaaaaa"}}}}, false},
		{"one did not come to its end", []Event{{Payload: &GateFinished{Gate: Gate{Name: "test", Where: InClean, Tree: "aaaaaaaaaaaaaaaa"}}}, gateOn("aaaaaaaaaaaaaaaa", true)}, false},
		{"with other tests", []Event{gateOn("aaaaaaaaaaaaaaaa", true), {Payload: &GateFinished{With: "as-it-was", Gate: gateOn("aaaaaaaaaaaaaaaa", false).Payload.(*GateFinished).Gate}}}, false},
	} {
		var s State
		for _, e := range tt.events {
			s = s.Sum(e)
		}
		if got := slices.Contains(s.Flaky, "test"); got != tt.flaky {
			t.Errorf("%s: flaky %v, want %v", tt.name, got, tt.flaky)
		}
	}
}

func TestWhatIsRememberedOfGatesAndReasonsIsBounded(t *testing.T) {
	var s State
	for n := range 1000 {
		s = s.Sum(gateOn(fmt.Sprintf("%04daaaaaaaaaaaa", n), n%2 == 0))
		s = s.Sum(Event{Payload: &TestExplained{Name: fmt.Sprint("T", n), Why: "so"}})
	}
	if len(s.Looks) != maxLooks || len(s.Explained) != maxExplained || s.Explained[maxExplained-1].Name != "T999" {
		t.Errorf("%d looks, %d reasons, the last %+v", len(s.Looks), len(s.Explained), s.Explained[len(s.Explained)-1])
	}
	s = s.Sum(Event{Payload: &TestExplained{Name: "T999", Why: "better"}})
	if last := s.Explained[len(s.Explained)-1]; last.Why != "better" || len(s.Explained) != maxExplained {
		t.Errorf("a second reason for one test: %+v", last)
	}
}

func TestRefusalsForOneWantAreCounted(t *testing.T) {
	claim := func(why, lacks string) Outcome {
		return Outcome{Result: OK, Claim: &Claim{Kind: ClaimDone, Why: why, Lacks: lacks}}
	}
	var s State
	for _, step := range []struct {
		name  string
		o     Outcome
		want  Lacking
		after func(State) State
	}{
		{"the first", claim("no", "level kept"), Lacking{"level kept", 1}, nil},
		{"the same again", claim("no", "level kept"), Lacking{"level kept", 2}, nil},
		{"a red gate says nothing of it", claim("gate test failed", ""), Lacking{"level kept", 2}, nil},
		{"no claim neither", Outcome{Result: OK}, Lacking{"level kept", 2}, nil},
		{"another want", claim("no", "tests A"), Lacking{"tests A", 1}, nil},
		{"a claim that was taken", Outcome{Result: OK, Claim: &Claim{Kind: ClaimDone}, Proof: &Proof{Level: LevelKept}}, Lacking{}, nil},
	} {
		if s = s.Add(step.o); s.Lacking != step.want {
			t.Errorf("%s: %+v, want %+v", step.name, s.Lacking, step.want)
		}
	}
	s.Lacking = Lacking{"tests A", 2}
	if s = s.Sum(Event{Payload: &RunResumed{From: Aborted}}); s.Lacking != (Lacking{}) {
		t.Errorf("after a person has looked: %+v", s.Lacking)
	}
}

func TestDoubtedTestsAreNoCredit(t *testing.T) {
	exit := 0
	o := Outcome{
		Result: OK, Claim: &Claim{Kind: ClaimDone, Why: "no", Lacks: "tests A"},
		Gates: []Gate{{Name: "test", OK: true, Exit: &exit, Tests: 4}}, Tests: &Tests{Total: 4, Passed: 4},
	}
	s := State{Evidence: Evidence{Best: &Best{Passed: 2, Failed: 2, Total: 4}}, Streaks: Streaks{RedGates: 1}}
	if got := s.Add(o); got.Best.Passed != 2 || got.Streaks.RedGates != 2 {
		t.Errorf("best %+v, streaks %+v: want neither to be better for tests that were bent", got.Best, got.Streaks)
	}
	o.Claim = nil
	if got := s.Add(o); got.Best.Passed != 4 || got.Streaks.RedGates != 0 {
		t.Errorf("best %+v, streaks %+v: want both to be better", got.Best, got.Streaks)
	}
}
