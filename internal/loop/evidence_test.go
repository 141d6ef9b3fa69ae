package loop

import (
	"slices"
	"testing"
)

func counted(passed, failed int, failing ...string) Outcome {
	total := passed + failed
	return Outcome{
		Result: OK, Exit: code(0), Work: Work{Progress: yes()}, Left: Left{Checkpoint: "c"},
		Tests: &Tests{Total: total, Passed: passed, Failed: failed, Failing: failing},
		Gates: []Gate{{Name: "test", OK: failed == 0, Tests: total}},
	}
}

func TestGoingBackAndForthIsNeverBetterTwice(t *testing.T) {
	s := State{}.Add(counted(10, 5)).Add(counted(11, 8)) // one more passes, three more fail
	if s.Better(&Tests{Total: 15, Passed: 10, Failed: 5}) {
		t.Errorf("best %+v: 10 passed and 5 failed is where the run came from", s.Best)
	}
}

func TestARedBaselineIsNotHeldAgainstAnIteration(t *testing.T) {
	var s State
	s = s.Sum(Event{Payload: &RunBaseline{
		Proof: InClean,
		Gates: []BaselineGate{{Gate: Gate{Name: "test", Tests: 40}, Tests: &Tests{Total: 40, Failed: 40}}},
	}})
	known := counted(0, 40)
	known.Gates[0].Known = true
	after := s.Add(known)
	if after.Streaks.RedGates != 0 || after.Streaks.TestFailures != 1 {
		t.Errorf("streaks = %+v after the same 40 failures, want no red gate and one test failure", after.Streaks)
	}
	better := counted(5, 35)
	better.Gates[0].Known = true
	if after = after.Add(better); after.Streaks != (Streaks{}) {
		t.Errorf("streaks = %+v after 5 tests were fixed, want none", after.Streaks)
	}
	if len(after.Known) != 1 {
		t.Errorf("known red gates = %v before the gate passed, want 1", after.Known)
	}
	if after = after.Add(counted(40, 0)); len(after.Known) != 0 {
		t.Errorf("known red gates = %v after the gate passed, want none", after.Known)
	}
}

func TestTheRatchet(t *testing.T) {
	tests := []struct {
		name    string
		outcome Outcome
		undone  bool
	}{
		{"a test more fails", counted(9, 2), true},
		{"a test less passes", counted(9, 0), true},
		{"the same again", counted(10, 1), false},
		{"better", counted(11, 0), false},
		{"no gate was run", Outcome{Result: Failed, Exit: code(1)}, false},
		{"the agent's own tests do not count", Outcome{Result: OK, Exit: code(0), Tests: &Tests{Total: 3, Failed: 3}}, false},
		{"a gate that counted tests counts none any more", Outcome{Result: Failed, Gates: []Gate{{Name: "test", Why: "exit 2"}}}, true},
		{"a person is needed: nobody's failure", Outcome{Result: OK, Gates: []Gate{{Name: "lint"}}, Person: "set proof.setup"}, false},
		{"another gate broke", Outcome{Result: OK, Gates: []Gate{{Name: "lint"}}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first := counted(10, 1)
			first.Gates = append(first.Gates, Gate{Name: "lint", OK: true})
			s := State{Counting: CountPolicy{Ratchet: true}}.Add(first)
			v := Decide(Facts{State: s, Outcome: &tt.outcome}, nil)
			if undone := v.Restore != nil && *v.Restore == 1; undone != tt.undone {
				t.Errorf("restore = %v, want undone: %v", v.Restore, tt.undone)
			}
			after := s.Add(tt.outcome)
			if tt.undone && (after.BestTree.Iteration != 1 || after.Streaks.NoProgress != 1) {
				t.Errorf("after %q: high %+v, no progress %d; what is undone is neither the best nor progress", tt.name, after.BestTree, after.Streaks.NoProgress)
			}
		})
	}
}

func TestHistoryOfSingleTests(t *testing.T) {
	s := State{}.Add(counted(2, 1, "a"))
	turn := func(failing ...string) Tests {
		o := counted(3-len(failing), len(failing), failing...)
		s.Compare(&o)
		s = s.Add(o)
		return *o.Tests
	}
	got := turn("b")
	if !slices.Equal(got.NewlyFailing, []string{"b"}) || !slices.Equal(got.NewlyFixed, []string{"a"}) {
		t.Errorf("after a, then b: newly failing %v, newly fixed %v", got.NewlyFailing, got.NewlyFixed)
	}
	if got = turn("a", "b"); !slices.Equal(got.NewlyFailing, []string{"a"}) || got.NewlyFixed != nil {
		t.Errorf("a is back: newly failing %v, newly fixed %v", got.NewlyFailing, got.NewlyFixed)
	}
	if got = turn("b"); !slices.Equal(got.Flaky, []string{"a"}) {
		t.Errorf("a went three times: flaky %v", got.Flaky)
	}
}

func TestATestThatIsNotNamedIsNotCalledFixed(t *testing.T) {
	s := State{}.Add(counted(2, 1, "a"))
	o := counted(1, 2, "b") // two fail, one is named
	s.Compare(&o)
	if o.Tests.NewlyFixed != nil {
		t.Errorf("newly fixed = %v, want none", o.Tests.NewlyFixed)
	}
}

func TestTheHistoryIsBounded(t *testing.T) {
	var s State
	for i := range 1000 {
		s = s.Add(counted(0, 1, string(rune('a'+i%26))+string(rune(i))))
	}
	if len(s.Seen) > maxSeen {
		t.Errorf("%d tests kept, want at most %d", len(s.Seen), maxSeen)
	}
}

func TestWhatWasUndoneLeavesNothingBehind(t *testing.T) {
	s := State{Counting: CountPolicy{Ratchet: true}}.Add(counted(10, 1, "a"))
	after := s.Add(counted(11, 2, "a", "b")) // one more passes, and is lost with the rest
	if *after.Best != *s.Best || len(after.Seen) != len(s.Seen) {
		t.Errorf("after an undone iteration: best %+v, seen %v; before %+v, %v", after.Best, after.Seen, s.Best, s.Seen)
	}
	if after.Totals.Files != s.Totals.Files {
		t.Errorf("files = %d, want %d: the rest was put back", after.Totals.Files, s.Totals.Files)
	}
}

func TestTheBestKeepsWhatAnIterationDidNotLookAt(t *testing.T) {
	first := counted(10, 0)
	first.Gates = append(first.Gates, Gate{Name: "slow", OK: true})
	s := State{}.Add(first).Add(Outcome{Result: OK, Exit: code(0), Gates: []Gate{{Name: "lint", OK: true}}})
	if s.BestTree.Tests == nil || !slices.Contains(s.BestTree.Green, "slow") {
		t.Errorf("high = %+v, want the tests and the gate of the iteration before", s.BestTree)
	}
}

func TestAPassByToleranceKeepsTheBaseline(t *testing.T) {
	var s State
	s = s.Sum(Event{Payload: &RunBaseline{Gates: []BaselineGate{{Gate: Gate{Name: "test", Tests: 2}, Tests: &Tests{Total: 2, Passed: 1, Failed: 1}}}}})
	o := counted(1, 1)
	o.Gates[0].OK, o.Gates[0].Known = true, true
	for range 6 {
		s = s.Add(o)
	}
	if len(s.Known) != 1 || s.Streaks != (Streaks{}) {
		t.Errorf("known %v, streaks %+v after six iterations that were no worse", s.Known, s.Streaks)
	}
}
