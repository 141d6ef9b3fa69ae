package gate

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ofGo is the tests of a gate: how many passed, how many failed, and the names
// that are known of these.
func ofGo(passed, failed int, failing ...string) *loop.Tests {
	return &loop.Tests{Framework: "go", Total: passed + failed, Passed: passed, Failed: failed, Failing: failing}
}

// ended is a gate that came to its end.
func ended(exit int, t *loop.Tests) Result {
	r := Result{Gate: loop.Gate{Name: "test", Exit: &exit, OK: exit == 0, Why: "exit 1"}, Tests: t}
	if t != nil {
		r.Gate.Tests = t.Passed + t.Failed
	}
	return r
}

func (r Result) but(change func(*Result)) Result {
	change(&r)
	return r
}

func red(r *Result)         { r.OK = false }
func crashed(r *Result)     { r.Exit = nil }
func interrupted(r *Result) { r.Exit, r.Interrupted = nil, true }

func TestKnownAndNoWorse(t *testing.T) {
	for _, tt := range []struct {
		name      string
		now, then Result
		known     bool
		why       string // of NoWorse; empty: it passes
	}{
		{"the same tests fail", ended(1, ofGo(8, 2, "A", "B")), ended(1, ofGo(8, 2, "A", "B")), true, ""},
		{"fewer tests fail", ended(1, ofGo(9, 1, "B")), ended(1, ofGo(8, 2, "A", "B")), true, ""},
		{"another test fails", ended(1, ofGo(8, 2, "A", "C")), ended(1, ofGo(8, 2, "A", "B")), false, "newly failing: C"},
		{"one more test fails", ended(1, ofGo(8, 3, "A", "B", "C")), ended(1, ofGo(8, 2, "A", "B")), false, "newly failing: C"},
		{"passing tests are gone", ended(1, ofGo(5, 2, "A", "B")), ended(1, ofGo(8, 2, "A", "B")), true, "5 tests passed, 8 did before"},
		{"by numbers, where names are not known", ended(1, ofGo(8, 2)), ended(1, ofGo(8, 2, "A", "B")), true, ""},
		{"by numbers, more fail", ended(1, ofGo(8, 3, "A")), ended(1, ofGo(8, 2)), false, "3 tests failed, 2 did before"},
		{"by numbers, fewer pass", ended(1, ofGo(7, 2)), ended(1, ofGo(8, 2)), false, "7 tests passed, 8 did before"},
		{"exit 0 although the same tests fail", ended(0, ofGo(8, 2, "A", "B")).but(red), ended(1, ofGo(8, 2, "A", "B")), true, ""},
		{"no test fails, yet it is red as before", ended(1, ofGo(10, 0)), ended(1, ofGo(8, 2, "A", "B")), true, ""},
		{"it ended before its tests did", ended(1, ofGo(4, 0)), ended(1, ofGo(8, 2, "A", "B")), false, "4 tests passed, 8 did before"},
		{"it was green", ended(1, ofGo(8, 2, "A", "B")), ended(0, ofGo(10, 0)), false, "exit 1"},
		{"no tests now", ended(1, nil), ended(1, ofGo(8, 2, "A", "B")), false, "exit 1"},
		{"no tests then", ended(1, ofGo(8, 2, "A", "B")), ended(1, nil), false, "exit 1"},
		{"never any tests", ended(1, nil), ended(1, nil), false, "exit 1"},
		{"none ran", ended(1, ofGo(0, 0)), ended(1, ofGo(8, 2, "A", "B")), false, "exit 1"},
		{"it proves nothing", ended(0, ofGo(8, 0)).but(red), ended(1, ofGo(8, 2, "A", "B")), false, "exit 1"},
		{"it crashed", ended(1, ofGo(8, 2, "A", "B")).but(crashed), ended(1, ofGo(8, 2, "A", "B")), false, "exit 1"},
		{"it was interrupted", ended(1, ofGo(8, 2, "A", "B")).but(interrupted), ended(1, ofGo(8, 2, "A", "B")), false, "exit 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := Both{Work: tt.then}.Baseline()
			if got := Known(tt.now, before); got != tt.known {
				t.Errorf("Known = %v, want %v", got, tt.known)
			}
			if got := NoWorse(tt.now, before); got.Why != tt.why || got.OK != (tt.why == "") {
				t.Errorf("NoWorse: OK %v, why %q; want why %q", got.OK, got.Why, tt.why)
			}
		})
	}
}

func TestGreenIsNotKnownAndNoWorse(t *testing.T) {
	before := Both{Work: ended(1, ofGo(8, 2, "A", "B"))}.Baseline()
	now := ended(0, ofGo(10, 0))
	if Known(now, before) {
		t.Error("a green gate is known to be red")
	}
	if !NoWorse(now, before).OK {
		t.Error("a green gate is worse")
	}
}

func TestNewly(t *testing.T) {
	if got := Newly(ofGo(0, 3, "A", "B", "C"), ofGo(0, 1, "B")); !slices.Equal(got, []string{"A", "C"}) {
		t.Errorf("Newly = %q", got)
	}
	if got := Newly(ofGo(0, 1, "A"), nil); !slices.Equal(got, []string{"A"}) {
		t.Errorf("Newly with nothing before = %q", got)
	}
	if got := Newly(nil, ofGo(0, 1, "A")); got != nil {
		t.Errorf("Newly with nothing now = %q", got)
	}
}
