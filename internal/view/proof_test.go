package view

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ended is a run that is done, with gates in a clean checkout.
func ended(f *loop.RunFinished, gates ...loop.Gate) *Run {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7"})
	r.add(0, 0, &loop.RunBaseline{Proof: loop.InClean, SetUp: true})
	r.add(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Gates: gates}})
	r.add(0, 0, f)
	return fold(r.events...)
}

func changedTests(names ...string) *loop.ProofTests {
	t := &loop.ProofTests{}
	for _, name := range names {
		t.Changed = append(t.Changed, loop.TestChange{Name: name, What: loop.TestGone})
	}
	return t
}

func TestOneSentenceForEachLevel(t *testing.T) {
	gates := []loop.Gate{{Name: "build", OK: true}, {Name: "test", OK: true, Tests: 3}}
	many := []string{"A", "B", "C", "D", "E", "F", "G"}
	tests := []struct {
		name               string
		end                loop.RunFinished
		level              loop.Level
		headline, standing string
	}{
		{
			"proven in a clean checkout",
			loop.RunFinished{State: loop.Done, Proven: true, Proof: &loop.Proof{Level: loop.LevelProven, Place: loop.InClean}},
			loop.LevelProven, "done, proven in a clean checkout by build, test (3 tests)", "proven",
		},
		{
			"proven in the work tree",
			loop.RunFinished{State: loop.Done, Proven: true, Proof: &loop.Proof{Level: loop.LevelProven, Place: loop.InWorkspace}},
			loop.LevelProven, "done, proven in the work tree only by build, test (3 tests)", "proven in the work tree only",
		},
		{
			"proven, in a journal of an earlier version",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true},
			loop.LevelProven, "done, proven in a clean checkout by build, test (3 tests)", "proven",
		},
		{
			"nothing broke",
			loop.RunFinished{State: loop.Done, Proof: &loop.Proof{Level: loop.LevelKept, Why: "every gate passed\nbefore", Place: loop.InClean}},
			loop.LevelKept, "done, nothing broke", "nothing broke: every gate passed before",
		},
		{
			"nothing broke, and nobody says why",
			loop.RunFinished{State: loop.Done, Proof: &loop.Proof{Level: loop.LevelKept}},
			loop.LevelKept, "done, nothing broke", "nothing broke",
		},
		{
			"tests changed",
			loop.RunFinished{State: loop.Done, Proof: &loop.Proof{Level: loop.LevelTestsChanged, Why: "so", Tests: changedTests("TestAdd", "Test\x1b[2JSub")}},
			loop.LevelTestsChanged, "done, tests changed: TestAdd, TestSub", "tests changed: TestAdd, TestSub",
		},
		{
			"many tests changed",
			loop.RunFinished{State: loop.Done, Proof: &loop.Proof{Level: loop.LevelTestsChanged, Tests: changedTests(many...)}},
			loop.LevelTestsChanged, "done, tests changed: A, B, C, D, E and 2 more", "tests changed: A, B, C, D, E and 2 more",
		},
		{
			"claimed",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise},
			loop.LevelClaimed, "done, unproven", "claimed, unproven",
		},
		{
			"claimed, although there are gates",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proof: &loop.Proof{Level: loop.LevelClaimed, Why: "the gates are flaky", Place: loop.InClean}},
			loop.LevelClaimed, "done, unproven", "claimed, unproven: the gates are flaky",
		},
		{
			"nobody claimed anything",
			loop.RunFinished{State: loop.Done, Reason: loop.ByExitZero},
			loop.LevelClaimed, "done, unproven", "unproven",
		},
		{
			"a level of a later version",
			loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proof: &loop.Proof{Level: "surer", Why: "so"}},
			"surer", "done, unproven", "claimed, unproven",
		},
		{"gave up", loop.RunFinished{State: loop.Aborted, Reason: loop.ByFailures}, "", "aborted", "claimed, unproven"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := ended(&tt.end, gates...)
			if got := run.Level(); got != tt.level || run.Proven() != (tt.level == loop.LevelProven) {
				t.Errorf("level %q, proven %v; want %q", got, run.Proven(), tt.level)
			}
			if got := run.Headline(); got != tt.headline {
				t.Errorf("headline %q, want %q", got, tt.headline)
			}
			if got := Standing(run.Proof(), run.Reason()); got != tt.standing {
				t.Errorf("standing %q, want %q", got, tt.standing)
			}
		})
	}
}

func TestALiveRunHasNoLevel(t *testing.T) {
	if run := New(); run.Proof() != nil || run.Level() != "" || run.Proven() {
		t.Errorf("proof %+v, level %q; want none", run.Proof(), run.Level())
	}
}

func TestWhatAProofRestsOn(t *testing.T) {
	long := []string{"A", "B", "C", "D", "E", "F"}
	tests := []struct {
		name  string
		proof *loop.Proof
		want  []string
	}{
		{"none", nil, nil},
		{
			"all there is",
			&loop.Proof{
				Level: loop.LevelProven, Why: "2 tests were red", Tree: "3f2a91c0d2e4f5a6b7c8", Gates: []string{"test"}, Flaky: []string{"e2e"}, Files: []string{"calc_test.go"},
				Tests: &loop.ProofTests{Held: 48, Fixed: long, Added: []string{"TestDiv"}, Renamed: []string{"TestOld"}},
			},
			[]string{
				"2 tests were red (tree 3f2a91c0d2e4)", "Fixed: A, B, C, D, E and 1 more", "New tests that fail without the work: TestDiv",
				"48 known tests pass in their old version", "Renamed; they pass under their old names: TestOld", "Red before the run, and green now: test",
				"Flaky, red and green on one tree: e2e", "Changed files that decide what is tested: calc_test.go",
			},
		},
		{"one test", &loop.Proof{Level: loop.LevelKept, Why: "so", Tests: &loop.ProofTests{Held: 1}}, []string{"so", "1 known test passes in its old version"}},
		{"nothing", &loop.Proof{Level: loop.LevelClaimed, Why: "no gates are set"}, []string{"none: no gates are set"}},
		{"nothing, without a word", &loop.Proof{Level: loop.LevelClaimed}, []string{"none"}},
		{"a word is not needed", &loop.Proof{Level: loop.LevelProven}, nil},
		{"text of an agent's", &loop.Proof{Level: loop.LevelKept, Why: "a\n\x1b[2Jb", Tree: "x\ny"}, []string{"a b (tree x y)"}},
	}
	for _, tt := range tests {
		got := Grounds(tt.proof)
		if diff := cmp.Diff(tt.want, got, cmp.Transformer("len", func(s []string) string { return strings.Join(s, "\n") })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestChangedTestsHaveTheAgentsReasons(t *testing.T) {
	p := &loop.Proof{Tests: &loop.ProofTests{Changed: []loop.TestChange{
		{Name: "TestAdd", What: loop.TestWeakened, Why: "sums\nround\u202e now"}, {Name: "TestSub", What: loop.TestGone}, {Name: "package.json", What: loop.TestDecides, Why: strings.Repeat("x", 2000)},
	}}}
	want := []string{"TestAdd passes now, but its old version fails: sums round now", "TestSub is gone: no reason was given", "package.json was changed: " + strings.Repeat("x", maxReason-1) + "…"}
	if diff := cmp.Diff(want, ChangedTests(p)); diff != "" {
		t.Errorf("changed tests (-want +got):\n%s", diff)
	}
	p.Tests = changedTests(make([]string, maxChanged+7)...)
	if list := ChangedTests(p); len(list) != maxChanged+1 || list[maxChanged] != "and 7 more" {
		t.Errorf("%d lines, the last %q", len(list), list[len(list)-1])
	}
}

func TestADiffIsCutAndClean(t *testing.T) {
	lines, more := Diff(&loop.Proof{Diff: "@@ -1 +1 @@\n-\tif x\x1b[2J {\r\n+y\n"}, 2)
	if diff := cmp.Diff([]string{"@@ -1 +1 @@", "-    if x {"}, lines); diff != "" || more != 1 {
		t.Errorf("%d more (-want +got):\n%s", more, diff)
	}
	if lines, more := Diff(&loop.Proof{Diff: "\n"}, 2); lines != nil || more != 0 {
		t.Errorf("lines %q and %d more, want none", lines, more)
	}
}

func TestWhatStandsBehindAClaim(t *testing.T) {
	kept := &loop.Proof{Level: loop.LevelKept}
	for _, tt := range []struct {
		name string
		o    loop.Outcome
		want loop.Level
	}{
		{"no claim", loop.Outcome{}, ""},
		{"a claim that was refused", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, Why: "no"}}, ""},
		{"blocked", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimBlocked}}, ""},
		{"a proof", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone}, Proof: kept}, loop.LevelKept},
		{"an earlier version's", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, Proven: true}}, loop.LevelProven},
		{"one that a person has to look at", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone}, Person: "a link leads out"}, ""},
		{"one of an attempt that was cut short", loop.Outcome{Result: loop.Interrupted, Claim: &loop.Claim{Kind: loop.ClaimDone}}, ""},
		{"a word", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone}}, loop.LevelClaimed},
	} {
		if got := Level(ClaimProof(&tt.o)); got != tt.want {
			t.Errorf("%s: level %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOnlyTestsThatPassAsTheyWereAreCalledFixed(t *testing.T) {
	newly := &loop.Tests{NewlyFixed: []string{"TestAdd", "TestSub"}}
	done := &loop.Claim{Kind: loop.ClaimDone}
	for _, tt := range []struct {
		name         string
		o            loop.Outcome
		fixed, quiet []string
	}{
		{"nothing", loop.Outcome{}, nil, nil},
		{"nobody has looked at the tests themselves", loop.Outcome{Tests: newly}, nil, newly.NewlyFixed},
		{"one was emptied", loop.Outcome{Tests: newly, Claim: done, Proof: &loop.Proof{Tests: &loop.ProofTests{Fixed: []string{"TestSub"}}}}, []string{"TestSub"}, []string{"TestAdd"}},
		{"a proof without names", loop.Outcome{Tests: newly, Claim: done, Proof: &loop.Proof{}}, nil, newly.NewlyFixed},
		{"as an earlier version proved it", loop.Outcome{Tests: newly, Claim: &loop.Claim{Kind: loop.ClaimDone, Proven: true}}, newly.NewlyFixed, nil},
	} {
		fixed, quiet := Fixed(&tt.o)
		if !cmp.Equal(fixed, tt.fixed) || !cmp.Equal(quiet, tt.quiet) {
			t.Errorf("%s: fixed %q, not failing %q; want %q, %q", tt.name, fixed, quiet, tt.fixed, tt.quiet)
		}
	}
}

func TestGatesThatStayInTheWorkTreeAreNamed(t *testing.T) {
	for want, got := range map[string]string{
		"in a clean checkout": Judged(loop.InClean, nil),
		"in a clean checkout; e2e, test in the work tree only": Judged(loop.InClean, []string{"e2e", "test"}),
		"in the work tree": Judged(loop.InWorkspace, []string{"e2e"}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
