package loop

import (
	"slices"
	"testing"
)

func TestWhatIsKnownOfAFileThatRunsLater(t *testing.T) {
	known := Later{RunsLater: []LaterFile{{Path: "a", Iteration: 2}, {Path: "b", Iteration: 5}, {Path: "gone", Iteration: 1}}}
	found := Later{RunsLater: []LaterFile{{Path: "a", What: "git"}, {Path: "b", What: "CI"}, {Path: "new", What: "shell"}}, RunsLaterMore: 3}

	later := found.After(known)
	want := []LaterFile{{Path: "a", What: "git", Iteration: 2}, {Path: "b", What: "CI", Iteration: 5}, {Path: "new", What: "shell"}}
	if !slices.Equal(later.RunsLater, want) || later.RunsLaterMore != 3 {
		t.Errorf("After gives %+v, want %+v and 3 more", later, want)
	}
	// Put back to iteration 3, nobody knows who had changed b before the fifth.
	want[1].Iteration = 0
	if until := later.Until(3); !slices.Equal(until.RunsLater, want) {
		t.Errorf("Until(3) gives %+v, want %+v", until.RunsLater, want)
	}
	if later.RunsLater[1].Iteration != 5 || found.RunsLater[0].Iteration != 0 {
		t.Error("a list that others have was changed")
	}
}

func TestWhatRunsLaterGoesWithTheTree(t *testing.T) {
	hook := Later{RunsLater: []LaterFile{{Path: ".envrc", What: "shell"}}}
	s := State{}.Sum(Event{Iter: 1, Payload: &IterationFinished{Outcome: Outcome{Result: OK, Work: Work{Net: &Changes{Created: 1}, Later: hook}}}})
	if len(s.RunsLater) != 1 {
		t.Fatalf("after an iteration that left a hook: %+v", s.Later)
	}
	skipped := s.Sum(Event{Iter: 2, Payload: &IterationFinished{Outcome: Outcome{Result: Skipped}}})
	if len(skipped.RunsLater) != 1 {
		t.Errorf("an iteration that was skipped leaves the tree as it is, and the list is %+v", skipped.Later)
	}
	for what, e := range map[string]Event{
		"the ratchet puts it back":   {Iter: 2, Payload: &CheckpointRestored{}},
		"a person puts it back":      {Payload: &CheckpointRestored{}},
		"the end finds it gone":      {Payload: &RunFinished{State: Done}},
		"the next one takes it away": {Iter: 2, Payload: &IterationFinished{Outcome: Outcome{Result: OK, Work: Work{Net: &Changes{}}}}},
	} {
		if after := s.Sum(e); len(after.RunsLater) != 0 {
			t.Errorf("%s, and the list is %+v", what, after.Later)
		}
	}
}
