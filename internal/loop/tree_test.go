package loop

import (
	"slices"
	"testing"
)

func TestWhereTheTreeIs(t *testing.T) {
	green := Outcome{Result: OK, Exit: code(0), Left: Left{Checkpoint: "c1"}, Gates: []Gate{{Name: "test", OK: true}, {Name: "lint", OK: true}}, Work: Work{Net: &Changes{Created: 1}}}
	s := State{}.Sum(Event{Payload: &CheckpointMade{Checkpoint: "c0", Base: true}}).Sum(Event{Iter: 1, Payload: &CheckpointMade{Checkpoint: "c1"}})
	if s.FirstCheckpoint != "c0" || s.LastCheckpoint != "c1" || s.BestTree != nil {
		t.Errorf("first %q, here %q, high %v, want c0, c1 and none", s.FirstCheckpoint, s.LastCheckpoint, s.BestTree)
	}
	byRunner := Event{Iter: 1, Payload: &CheckpointRestored{Checkpoint: "c9"}}
	if got := s.Sum(byRunner); got.LastCheckpoint != "c9" || got.BestTree != nil {
		t.Errorf("put back without a best: here %q, high %v", got.LastCheckpoint, got.BestTree)
	}
	s = s.Sum(Event{Iter: 1, Payload: &IterationFinished{Outcome: green}})
	if s.BestTree.Iteration != 1 || s.BestTree.Checkpoint != "c1" || s.Net.Created != 1 {
		t.Errorf("high %+v, net %+v after a green iteration", s.BestTree, s.Net)
	}
	if got := s.Sum(byRunner); got.BestTree.Checkpoint != "c9" || got.Net == nil || s.BestTree.Checkpoint != "c1" {
		t.Errorf("put back by the runner: the best is at %q, and was at %q", got.BestTree.Checkpoint, s.BestTree.Checkpoint)
	}
	byPerson := s.Sum(Event{Payload: &CheckpointRestored{Checkpoint: "c0"}})
	if byPerson.LastCheckpoint != "c0" || byPerson.BestTree.Checkpoint != "c1" || byPerson.Net != nil {
		t.Errorf("put back by a person: here %q, best %q, net %v", byPerson.LastCheckpoint, byPerson.BestTree.Checkpoint, byPerson.Net)
	}
	s = s.Add(Outcome{Result: OK, Exit: code(0), Left: Left{Checkpoint: "c2"}})
	if s.BestTree.Iteration != 1 || s.Net.Created != 1 {
		t.Errorf("an iteration without gates is no best: %+v, net %+v", s.BestTree, s.Net)
	}
	s = s.Add(Outcome{Result: OK, Exit: code(0), Left: Left{Checkpoint: "c3"}, Gates: []Gate{{Name: "test", OK: true}}})
	if s.BestTree.Iteration != 3 || !slices.Equal(s.BestTree.Green, []string{"test", "lint"}) {
		t.Errorf("high %+v: what was not looked at is as it was", s.BestTree)
	}
}

func TestGatesAndWhatTheyRan(t *testing.T) {
	run := func(list ...Gate) Outcome { return Outcome{Result: OK, Exit: code(0), Gates: list} }
	s := State{}.Add(run(Gate{Name: "lint", OK: true}, Gate{Name: "test", OK: true, Tests: 5}, Gate{Name: "unit", OK: true, Tests: 2}))
	s = s.Add(run(Gate{Name: "test", OK: true, Tests: 8}, Gate{Name: "unit", OK: true, Tests: 1}))
	if want := []GateRan{{"test", 8}, {"unit", 2}}; !slices.Equal(s.Ran, want) {
		t.Errorf("ran %v, want each once, with the most: %v", s.Ran, want)
	}
	if s.Expected("test") != 8 || s.Expected("unit") != 2 || s.Expected("lint") != 0 {
		t.Errorf("expected %d, %d, %d tests, want 8, 2, 0", s.Expected("test"), s.Expected("unit"), s.Expected("lint"))
	}
}

func TestTheBaseline(t *testing.T) {
	b := &RunBaseline{
		Proof: InClean, SetUp: true, Checkpoint: "c0",
		Gates: []BaselineGate{
			{Gate: Gate{Name: "test", Tests: 3}, Tests: &Tests{Total: 3, Passed: 2, Failed: 1, Failing: []string{"a"}}, Judged: InClean},
			{Gate: Gate{Name: "e2e", OK: true}, Judged: InWorkspace},
			{Gate: Gate{Name: "lint"}, Judged: InClean},
		},
	}
	s := told(State{}, b)
	if s.Proof != InClean || !s.SetUp || !slices.Equal(s.Tied, []string{"e2e"}) || len(s.Known) != 2 || s.Known[1].Tests != nil {
		t.Errorf("proof %s, set up %v, tied %v, known %+v", s.Proof, s.SetUp, s.Tied, s.Known)
	}
	if s.BestTree.Checkpoint != "c0" || !slices.Equal(s.BestTree.Green, []string{"e2e"}) || s.Best.Passed != 2 || s.Expected("test") != 3 || len(s.Seen) != 1 {
		t.Errorf("high %+v, best %+v, seen %v", s.BestTree, s.Best, s.Seen)
	}
	if again := told(s, b); len(again.Known) != 2 || len(again.Tied) != 1 {
		t.Errorf("taken again: known %v, tied %v", again.Known, again.Tied)
	}
	only := Outcome{Tests: &Tests{Total: 2}}
	if s.Compare(&only); only.Tests.NewlyFixed != nil {
		t.Error("the agent's own tests were compared")
	}
}

func TestGatesThatChangedAreLookedAtAnew(t *testing.T) {
	s := told(State{}, gateOn("aaaaaaaaaaaaaaaa", true).Payload, gateOn("aaaaaaaaaaaaaaaa", false).Payload)
	for key, forgets := range map[string]bool{"gate.test.command": true, "proof.setup": true, "done.proof": true, "loop.max_iterations": false} {
		got := told(s, &RunResumed{Changed: []Change{{Key: key}}})
		if (len(got.Looks) == 0 && len(got.Flaky) == 0) != forgets {
			t.Errorf("after %s changed: looks %v, flaky %v", key, got.Looks, got.Flaky)
		}
	}
}

func TestTasksThatVanished(t *testing.T) {
	s := State{}.Add(Outcome{Result: OK, Exit: code(0), Work: Work{Plan: &Plan{Vanished: []string{"write docs"}, Marks: []string{"m1"}}}})
	if s = s.Add(works("a")); len(s.Vanished) != 1 || len(s.Marks) != 1 {
		t.Errorf("vanished %v, marks %v after an attempt that did not look", s.Vanished, s.Marks)
	}
	if s = s.Add(Outcome{Result: OK, Exit: code(0), Work: Work{Plan: &Plan{}}}); s.Vanished != nil || s.Marks != nil {
		t.Errorf("vanished %v, marks %v after they are back", s.Vanished, s.Marks)
	}
}
