package proof

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

// ran reads a run of tests from words: "A B- C?" is A that passed, B that failed,
// C that was skipped; "+3" are three that passed and have no name.
func ran(text string) Tally {
	t := Tally{Counted: true, Names: map[string]tests.Status{}, Complete: true}
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, " (", "\x00(")) {
		word = strings.ReplaceAll(word, "\x00", " ")
		switch name := strings.TrimRight(word, "-?"); {
		case word[0] == '+':
			t.Passed += int(word[1] - '0')
			t.Complete = false
		case strings.HasSuffix(word, "-"):
			t.Names[name] = tests.Failed
			t.Failed++
		case strings.HasSuffix(word, "?"):
			t.Names[name] = tests.Skipped
			t.Skipped++
		default:
			t.Names[name] = tests.Passed
			t.Passed++
		}
	}
	return t
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name             string
		before, now, old string // old is empty: no test was changed
		born             string
		changed          string // "A gone"
		fixed, renamed   string
	}{
		{"all as they were", "A B", "A B", "", "", "", "", ""},
		{"one is fixed", "A B-", "A B", "", "", "", "B", ""},
		{"one is fixed, as it was", "A B-", "A B C", "A B", "", "", "B", ""},
		{"one is weakened", "A B-", "A B", "A B-", "", "B weakened", "", ""},
		{"one that passed is weakened", "A B", "A B", "A- B", "", "A weakened", "", ""},
		{"one is gone, and fails as it was", "A B-", "A", "A B-", "", "B fails", "", ""},
		{"one is gone, and holds as it was", "A B", "A", "A B", "", "B gone", "", ""},
		{"one is skipped, and fails as it was", "A B-", "A B?", "A B-", "", "B fails", "", ""},
		{"one is skipped, and holds as it was", "A B", "A B?", "A B", "", "B skipped", "", ""},
		{"one is skipped as it was, too", "A B-", "A B?", "", "", "B skipped", "", ""},
		{"one cannot run as it was", "A B", "A B", "A", "", "B weakened", "", ""},
		{"a new name for one that holds", "A B", "A C", "A B", "", "", "", "B"},
		{"one is split", "A B", "A B1 B2", "A B", "", "", "", "B"},
		{"two become one", "A B", "C", "A B", "", "A gone, B gone", "", ""},
		{"one that was skipped promised nothing", "A B?", "A", "A", "", "", "", ""},
		{"one that was born here is gone", "A", "A", "", "N", "N gone", "", ""},
		{"one that was born here is skipped", "A", "A N?", "A", "N", "N skipped", "", ""},
		{"one that was born here has another name", "A", "A M", "A", "N", "", "", "N"},
		{"a package that did not build has names now", "pkg-", "pkg.A pkg.B", "", "", "", "pkg", ""},
		{"a file that did not load has tests now", "A test/a.test.js-", "A x y", "", "", "", "test/a.test.js", ""},
		{"a module that could not be imported", "unittest.loader._FailedTest.t-", "t.T.a", "", "", "", "unittest.loader._FailedTest.t", ""},
		{"a package that did not build is gone", "pkg- other.A", "other.A", "", "", "pkg gone", "", ""},
		{"a name that only failing tests have", "pkg.A- other", "pkg other", "", "", "", "pkg.A", ""},
		{"a part is gone, and the whole was known", "A- A/x-", "A", "", "", "A/x gone", "A", ""},
		{"a part that only failing tests have", "m.T.a (n=1)- other", "m.T.a other", "", "", "", "m.T.a (n=1)", ""},
		{"one that could not be loaded before is gone", "pkg-", "pkg.B", "pkg.A pkg.B", "", "pkg.A gone", "pkg", ""},
		{"a module has another name", "x/calc.TestA- x/calc.TestB", "x/arith.TestA x/arith.TestB", "", "", "", "x/calc.TestA", ""},
		{"what a class sets up failed", "m.C.setUpClass-", "m.C.a", "", "", "", "m.C.setUpClass", ""},
		{"a name is drowned by other output", "A B-", "A +1", "", "", "", "B", ""},
		{"no names: as many pass", "+3", "+3", "", "", "", "", ""},
		{"no names: one that failed does not any more", "+2 B-", "+3", "", "", "", "B", ""},
		{"no names: fewer pass", "+2 B-", "+2", "", "", "test: 1 of 3 tests gone", "B", ""},
		{"no names: fewer pass as they were", "+3", "+4", "+2", "", "test: 1 of 3 tests gone", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := versions{gate: "test", before: Before{Tally: ran(tt.before)}, born: strings.Fields(tt.born), now: ran(tt.now), old: ran(tt.old), apart: tt.old != ""}
			if !v.apart {
				v.old = v.now
			}
			c := compare(v)
			var changed []string
			for _, one := range c.changed {
				changed = append(changed, one.Name+" "+one.What)
			}
			got := []string{strings.Join(changed, ", "), strings.Join(c.fixed, " "), strings.Join(c.renamed, " ")}
			if diff := cmp.Diff([]string{tt.changed, tt.fixed, tt.renamed}, got); diff != "" {
				t.Errorf("changed, fixed, renamed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestATestThatMayStillFail(t *testing.T) {
	v := versions{before: Before{Tally: ran("A B-")}, now: ran("A B-"), old: ran("A B-"), noWorse: true}
	if c := compare(v); len(c.changed) > 0 {
		t.Errorf("changed = %v, want nothing where no more is asked", c.changed)
	}
	v.now, v.old = ran("A- B"), ran("A- B")
	if c := compare(v); len(c.changed) != 1 || c.changed[0].Name != "A" {
		t.Errorf("changed = %v, want A", c.changed)
	}
}

// Whatever becomes of a known test, it holds, has another name, or is told.
func TestNoTestIsLostWithoutAWord(t *testing.T) {
	names := []string{"A", "B", "C", "D"}
	draw := func(rt *rapid.T, label string) Tally {
		t := Tally{Counted: true, Complete: true, Names: map[string]tests.Status{}}
		for _, name := range names {
			switch rapid.SampledFrom([]string{"passed", "failed", "skipped", ""}).Draw(rt, label+name) {
			case "passed":
				t.Names[name], t.Passed = tests.Passed, t.Passed+1
			case "failed":
				t.Names[name], t.Failed = tests.Failed, t.Failed+1
			case "skipped":
				t.Names[name], t.Skipped = tests.Skipped, t.Skipped+1
			}
		}
		return t
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := versions{before: Before{Tally: draw(rt, "before")}, now: draw(rt, "now"), old: draw(rt, "old"), apart: rapid.Bool().Draw(rt, "apart")}
		if !v.apart {
			v.old = v.now
		}
		c := compare(v)
		told := map[string]bool{}
		for _, one := range c.changed {
			told[one.Name] = true
		}
		for name := range maps.Keys(v.before.Names) {
			holds := v.old.Names[name] == tests.Passed && (v.now.Names[name] == tests.Passed || slices.Contains(c.renamed, name))
			if v.before.Names[name] != tests.Skipped && holds == told[name] {
				rt.Fatalf("%s: holds %v, told %v, in %+v: %+v", name, holds, told[name], v, c)
			}
		}
		for _, name := range c.fixed {
			if v.before.Names[name] != tests.Failed || v.old.Names[name] != tests.Passed {
				rt.Fatalf("%s is called fixed in %+v", name, v)
			}
		}
	})
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		said, name string
		want       bool
	}{
		{"TestAdd", "TestAdd", true},
		{"TestAdd", "example.com/calc.TestAdd", true},
		{"TestAdd", "example.com/calc.TestAdd/negative", true},
		{"example.com/calc", "example.com/calc.TestAdd", true},
		{"test_add", "test_calc.CalcTest.test_add", true},
		{"tests/test_a.py", "tests/test_a.py::test_x", true},
		{"adds", "calc > adds", true},
		{"calc_test.go", "calc_test.go", true},
		{"calc_test.go", "sub/calc_test.go", true},
		{"Add", "example.com/calc.TestAdd", false},
		{"TestAdd", "example.com/calc.TestAddition", false},
		{"Test", "example.com/calc.TestAdd", false},
		{"*", "TestAdd", false},
		{"go", "calc_test.go", false},
		{"com", "example.com/calc.TestAdd", false},
		{"example", "example.com/calc.TestAdd", false},
		{"test_calc", "test_calc.CalcTest.test_add", true},
		{"", "TestAdd", false},
		{"TestAdd TestSub", "TestAdd", false},
	} {
		if got := covers(tt.said, tt.name); got != tt.want {
			t.Errorf("covers(%q, %q) = %v", tt.said, tt.name, got)
		}
	}
}

func TestLevel(t *testing.T) {
	work := changes{work: []checkpoint.Edit{{Path: "calc.go"}}}
	with := func(e evidence, change func(*evidence)) evidence { change(&e); return e }
	some := evidence{changes: work}
	fixed := with(some, func(e *evidence) { e.fixed, e.turned = []string{"A"}, []string{"test"} })
	for _, tt := range []struct {
		name string
		e    evidence
		mode string
		want loop.Level
		says string
	}{
		{"a test was fixed", fixed, TestsKept, loop.LevelProven, "1 test failed before the run and passes as it was: A"},
		{"a gate without tests turned", with(some, func(e *evidence) { e.turned = []string{"lint"} }), TestsKept, loop.LevelProven, "lint failed before the run and passes now"},
		{"new tests fail without the work", with(some, func(e *evidence) { e.added = []string{"N"} }), TestsKept, loop.LevelProven, "new tests fail without the work"},
		{"nothing tells the difference", some, TestsKept, loop.LevelKept, "no new test fails without the work"},
		{"nothing was changed", with(fixed, func(e *evidence) { e.idle = true }), TestsKept, loop.LevelKept, "nothing was changed"},
		{"nobody can tell what was changed", with(fixed, func(e *evidence) { e.blind = true }), TestsKept, loop.LevelKept, "without checkpoints"},
		{"a gate is flaky", with(fixed, func(e *evidence) { e.flaky = []string{"test"} }), TestsKept, loop.LevelKept, "test passed and failed on the same tree"},
		{"a gate changed what it judges", with(fixed, func(e *evidence) { e.touched = []string{"calc.go"} }), TestsKept, loop.LevelKept, "changed the files that they judge: calc.go"},
		{"nobody knows how it was", with(some, func(e *evidence) { e.unknown = []string{"test"} }), TestsKept, loop.LevelKept, "nobody knows whether test did before"},
		{"tests were changed, with a reason", with(fixed, func(e *evidence) { e.changed = []loop.TestChange{{Name: "B", What: loop.TestGone, Why: "moved"}} }), TestsKept, loop.LevelTestsChanged, "B is gone (moved)"},
		{"tests are the agent's", with(fixed, func(e *evidence) { e.tests = []testFile{{path: "a_test.go", old: true}} }), TestsFree, loop.LevelTestsChanged, `done.tests is "free"`},
		{"new tests are no change", with(fixed, func(e *evidence) { e.tests = []testFile{{path: "a_test.go"}} }), TestsFree, loop.LevelProven, "passes as it was"},
	} {
		level, why := tt.e.level(tt.mode)
		if level != tt.want || !strings.Contains(why, tt.says) {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, level, why, tt.want, tt.says)
		}
	}
}

func TestAClaimIsRefusedTwiceForTheSameWant(t *testing.T) {
	r := Ruling{Lacks: "level kept", Why: "nothing tells"}
	for times, person := range map[int]bool{0: false, 1: false, 2: true, 3: true} {
		got := r.orPerson(loop.State{Claims: loop.Claims{Lacking: loop.Lacking{What: "level kept", Times: times}}})
		if (got.Person != "") != person || (got.Why == "") != person {
			t.Errorf("after %d refusals: %+v, want a person: %v", times, got, person)
		}
	}
	if got := r.orPerson(loop.State{Claims: loop.Claims{Lacking: loop.Lacking{What: "tests A", Times: 5}}}); got.Person != "" {
		t.Error("a person is called for another want")
	}
}
