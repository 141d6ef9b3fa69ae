package loop

import "testing"

func TestIterationsThatAreAlike(t *testing.T) {
	like := func(tests, wrong, diff string) Outcome {
		return Outcome{Result: OK, Exit: code(0), Left: Left{Alike: &Fingerprints{Tests: tests, Error: wrong, Diff: diff}}, Tests: &Tests{Total: 3, Passed: 1, Failed: 2}}
	}
	with := func(o Outcome, change func(*Outcome)) Outcome { change(&o); return o }
	same := like("t", "e", "d")
	for _, tt := range []struct {
		name                string
		past                []Outcome
		tests, wrong, diffs int
	}{
		{"one", []Outcome{same}, 1, 1, 1},
		{"three", []Outcome{same, same, same}, 3, 3, 3},
		{"others", []Outcome{same, like("u", "f", "g")}, 1, 1, 1},
		{"nothing to mark", []Outcome{same, like("", "", "")}, 0, 0, 0},
		{"nothing is known", []Outcome{same, {Result: OK, Exit: code(0)}}, 1, 0, 0},
		{"no tests ran: nothing is known of them", []Outcome{same, with(same, func(o *Outcome) { o.Tests = nil })}, 1, 2, 2},
		{"the tests are better", []Outcome{same, with(same, func(o *Outcome) { o.Tests = &Tests{Total: 3, Passed: 2, Failed: 1} })}, 0, 2, 2},
		{"a task got done", []Outcome{same, with(same, func(o *Outcome) { o.ProgressBy = []ProgressBy{InPlan} })}, 0, 2, 2},
		{"a gate tolerates them", []Outcome{same, with(same, func(o *Outcome) { o.Gates = []Gate{{Name: "test", OK: true, Tests: 3}} })}, 0, 2, 2},
		{"a skip between", []Outcome{same, {Result: Skipped}, same}, 2, 2, 2},
		{"one that did not count between", []Outcome{same, with(like("x", "x", "x"), func(o *Outcome) { o.Result = Limited }), same}, 2, 2, 2},
	} {
		var s State
		for _, o := range tt.past {
			s = s.Add(o)
		}
		if r := s.Repeats; r.Tests.N != tt.tests || r.Error.N != tt.wrong || r.Diff.N != tt.diffs {
			t.Errorf("%s: tests %d, error %d, diff %d in a row, want %d, %d, %d", tt.name, r.Tests.N, r.Error.N, r.Diff.N, tt.tests, tt.wrong, tt.diffs)
		}
	}
}

func TestFilesThatGoBackAndForth(t *testing.T) {
	for _, tt := range []struct {
		name  string
		trees []string
		turns int
	}{
		{"onward", []string{"a", "b", "c"}, 0},
		{"back", []string{"a", "b", "a"}, 1},
		{"back and forth", []string{"a", "b", "a", "b", "a"}, 3},
		{"then onward", []string{"a", "b", "a", "b", "c"}, 0},
		{"nothing changes", []string{"a", "a", "a"}, 0},
		{"not known in between", []string{"a", "b", "", "a"}, 1},
	} {
		var s State
		for _, tree := range tt.trees {
			s = s.Add(Outcome{Result: OK, Exit: code(0), Left: Left{Tree: tree}})
		}
		if s.Repeats.Turns != tt.turns || len(s.Repeats.Trees) > 2 {
			t.Errorf("%s: %d turns, want %d; trees %v", tt.name, s.Repeats.Turns, tt.turns, s.Repeats.Trees)
		}
	}
}
