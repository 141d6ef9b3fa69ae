package stop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// night plays iterations and gives the number of the one that a rule ended the
// run at; 0 is none.
func night(rules []loop.Rule, iterations []loop.Outcome) (int, loop.Verdict) {
	var s loop.State
	for i, o := range iterations {
		v := loop.Decide(loop.Facts{State: s, Outcome: &o, Now: noon}, rules)
		s = s.Add(o)
		if v.Action == loop.Stop {
			return i + 1, v
		}
	}
	return 0, loop.Verdict{}
}

func TestRepeats(t *testing.T) {
	moving := true
	turn := func(tree, diff, failure string, failing ...string) loop.Outcome {
		o := loop.Outcome{
			Result: loop.OK, Exit: exit(0), Work: loop.Work{Progress: &moving}, Left: loop.Left{Tree: tree, Alike: &loop.Fingerprints{Diff: diff, Error: failure, Tests: strings.Join(failing, ",")}},
		}
		if failing != nil {
			o.Tests = &loop.Tests{Total: 10, Passed: 10 - len(failing), Failed: len(failing), Failing: failing}
		}
		return o
	}
	times := func(n int, at func(i int) loop.Outcome) (list []loop.Outcome) {
		for i := range n {
			list = append(list, at(i))
		}
		return list
	}
	tree := func(i int) string { return fmt.Sprintf("tree-%02d", i) }
	tests := []struct {
		name       string
		iterations []loop.Outcome
		ends       int
		evidence   string
	}{
		{"the same tests fail", times(9, func(i int) loop.Outcome { return turn(tree(i), tree(i), "", "TestA", "TestB") }), 4, "TestA"},
		{"the same error", times(9, func(i int) loop.Outcome { return turn(tree(i), tree(i), "boom") }), 4, "error"},
		{"the same change", times(9, func(i int) loop.Outcome { return turn(tree(i), "same", "") }), 4, "change"},
		{"back and forth", times(20, func(i int) loop.Outcome { return turn(tree(i%2), tree(i), "") }), 6, "tree-00 and tree-01"},
		{"research: new notes each time", times(50, func(i int) loop.Outcome { return turn(tree(i), tree(i), "") }), 0, ""},
		{"fewer failing tests each time", times(8, func(i int) loop.Outcome {
			return turn(tree(i), tree(i), "", strings.Split(strings.Repeat("T,", 8-i)+"T", ",")...)
		}), 0, ""},
		{"a change that is made, undone and made is not yet a habit", times(4, func(i int) loop.Outcome { return turn(tree(i%2), tree(i), "") }), 0, ""},
		{"files that stay as they are are for another rule", times(9, func(int) loop.Outcome { return turn("same", "", "") }), 0, ""},
		{"another error in between", times(9, func(i int) loop.Outcome { return turn(tree(i), tree(i), fmt.Sprint("boom", i%3 == 0)) }), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, v := night([]loop.Rule{repeats(4)}, tt.iterations)
			if n != tt.ends || !strings.Contains(v.Why, tt.evidence) {
				t.Errorf("ended at iteration %d (%s), want %d with %q", n, v.Why, tt.ends, tt.evidence)
			}
			if n > 0 && (v.Rule != "repeats" || v.Reason != loop.ByNoProgress || v.State != loop.Aborted) {
				t.Errorf("verdict = %+v", v)
			}
			if n, _ := night([]loop.Rule{repeats(0)}, tt.iterations); n != 0 {
				t.Errorf("switched off, it ended at iteration %d", n)
			}
		})
	}
}

// Where nobody sees what changes, the end does not say that nothing has.
func TestNoProgressThatNobodySees(t *testing.T) {
	for _, tt := range []struct {
		name     string
		progress *bool
		want     string
	}{
		{"none was made", stuck(), "no progress in 2 iterations in a row"},
		{"nobody knows", nil, "no progress was seen in 2 iterations in a row: what changes in the work tree cannot be seen"},
	} {
		one := loop.Outcome{Result: loop.OK, Exit: exit(0), Work: loop.Work{Progress: tt.progress}}
		if n, v := night([]loop.Rule{noProgress(2)}, []loop.Outcome{one, one, one}); n != 2 || v.Why != tt.want {
			t.Errorf("%s: ended at iteration %d: %s; want 2: %s", tt.name, n, v.Why, tt.want)
		}
	}
}

func TestUnrewarded(t *testing.T) {
	still, moving := false, true
	spend := func(progress *bool) loop.Outcome {
		return loop.Outcome{Result: loop.OK, Exit: exit(0), Work: loop.Work{Progress: progress}, Usage: &loop.Usage{CostUSD: 0.5}}
	}
	past := []loop.Outcome{spend(&still), spend(&still), spend(&moving), spend(&still), spend(&still), spend(&still), spend(&still)}
	if n, v := night([]loop.Rule{unrewarded(1.5)}, past); n != 6 || v.Rule != "cost_without_progress" {
		t.Errorf("ended at iteration %d by %q (%s), want 6: what was spent before progress is forgiven", n, v.Rule, v.Why)
	}
}
