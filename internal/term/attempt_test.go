package term

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestSheetOfAnAttempt(t *testing.T) {
	yes := true
	rich := failedBy(failing("test", "1 of 12 tests"), loop.Gate{Name: "lint", OK: true, Where: loop.InClean})
	rich.Progress, rich.ProgressBy = &yes, []loop.ProgressBy{loop.InFiles}
	rich.Changes = &loop.Changes{Created: 1, Modified: 2, LinesAdded: 40, LinesRemoved: 3, Commits: 1, Paths: []loop.PathChange{
		{Path: "a.go", Change: "created"}, {Path: "b c.go", Change: "renamed", From: "b.go"}, {Path: "odd\nname", Change: "mode"},
	}}
	rich.Plan = &loop.Plan{Open: 3, InProgress: 1, Done: 8, Lost: 2}
	rich.Tests = &loop.Tests{
		Framework: "go", Total: 12, Passed: 11, Failed: 1,
		Failing: []string{"TestA"}, NewlyFailing: []string{"TestA"}, NewlyFixed: []string{"TestB"}, Flaky: []string{"TestC"},
	}
	rich.Pinned = []string{"a_test.go"}
	rich.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Why: "gate test failed (1 of 12 tests)"}
	rich.Checkpoint = "c0ffee"
	story := begin(10, 0).
		in(3, 2, &loop.ClaimRefused{Text: "DONE", Why: "gate test failed (1 of 12 tests)"}, &loop.ClaimRefused{Why: "the tag was inside backticks", NearMiss: true}).
		in(3, 2, &loop.CommitMade{Commit: "a1b2c3d4e5f6", Subject: "loop: iteration 3"}).
		in(3, 2, &loop.CheckpointRestored{Iteration: new(2), Why: "gate test failed (1 of 12 tests), and was better before"}).
		in(3, 2, &loop.IterationFinished{Outcome: rich, Verdict: loop.Verdict{Action: loop.Continue}})
	killed := loop.Outcome{
		Result: loop.Failed, Exit: &loop.Exit{Signal: "KILL", Cause: loop.Signaled}, Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "no final\nevent"},
		Usage: &loop.Usage{Input: 1300, CostUSD: 0.25}, Said: loop.Said{Summary: "Nothing yet."}, Person: "gate test passes here and fails there",
	}

	tests := []struct {
		name    string
		attempt Attempt
		want    string
	}{
		{
			"with all evidence",
			Attempt{Run: "build-7", End: story.events[len(story.events)-1], Events: story.events, Dir: "/runs/0003-2", Files: []string{"prompt.md", "gates"}},
			`
build-7/3 (attempt 2): failed
  exit        status 0 (exited)
  time        0.0s
  progress    files
  changed     3 files (+40 -3 lines), 1 commit
              created a.go
              renamed b c.go, from b.go
              mode "odd\nname"
  plan        3 open, 1 in progress, 8 done, 2 vanished
  tests       11 of 12 tests passed (go)
  failing     TestA
  broke       TestA
  not failing TestB
  flaky       TestC
  gates       test failed (1 of 12 tests) in the work tree, after 0.9s
              lint passed (0.0s) in a clean checkout
  pinned      not as when the run began: a_test.go
  claim       done "DONE", refused: gate test failed (1 of 12 tests)
  refused     the tag was inside backticks
  committed   a1b2c3d loop: iteration 3
  undone      back to iteration 2: gate test failed (1 of 12 tests), and was better before
  then        continue
  checkpoint  c0ffee
  prompt.md   /runs/0003-2/prompt.md
  gate logs   /runs/0003-2/gates
`,
		},
		{
			"of a claim with tests that were changed",
			Attempt{Run: "build-7", End: loop.Event{Iter: 1, Attempt: 1, Payload: &loop.IterationFinished{Outcome: loop.Outcome{
				Result: loop.OK, Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE"}, Tests: &loop.Tests{Total: 3, Passed: 3, NewlyFixed: []string{"TestAdd", "TestSub"}},
				Proof: &loop.Proof{Level: loop.LevelTestsChanged, Why: "1 test does not hold", Tests: &loop.ProofTests{
					Held: 2, Fixed: []string{"TestSub"}, Changed: []loop.TestChange{{Name: "TestAdd", What: loop.TestWeakened, Why: "sums round"}},
				}},
			}, Verdict: loop.Verdict{Action: loop.Stop}}}, Events: []loop.Event{{Payload: &loop.TestExplained{Name: "TestAdd", Why: "sums\nround"}}}},
			`
build-7/1: ok
  time        0.0s
  progress    unknown
  tests       3 of 3 tests passed
  fixed       TestSub
  not failing TestAdd
  claim       done "DONE", tests changed
  proof       1 test does not hold
              Fixed: TestSub
              2 known tests pass in their old version
  old tests   TestAdd passes now, but its old version fails: sums round
  explained   TestAdd: sums round
  then        stop
`,
		},
		{
			"of an agent that was killed",
			Attempt{Run: "build-7", End: loop.Event{Iter: 1, Attempt: 1, Payload: &loop.IterationFinished{Outcome: killed, Verdict: loop.Verdict{Action: loop.Stop, Why: "a person is needed"}}}},
			`
build-7/1: failed
  exit        signal KILL (signaled)
  error       agent: no final event
  time        0.0s
  progress    unknown
  blocked     gate test passes here and fails there
  usage       1,300 tokens, $0.25
  summary     Nothing yet.
  then        stop: a person is needed
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), Sheet(tt.attempt, Options{})); diff != "" {
				t.Errorf("sheet (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASheetListsTheFirstFiles(t *testing.T) {
	c := &loop.Changes{Created: 150}
	for i := range 100 { // the journal has no more
		c.Paths = append(c.Paths, loop.PathChange{Path: fmt.Sprintf("f%d", i), Change: "created"})
	}
	rows := Attempt{Dir: "/runs/0001"}.changes(c)
	if len(rows) != maxListed+2 {
		t.Fatalf("%d rows, want the sum, %d files and the rest", len(rows), maxListed)
	}
	if got, want := rows[len(rows)-1].text, "and 130 more, in /runs/0001/changes.json"; got != want {
		t.Errorf("last row %q, want %q", got, want)
	}
}

func TestClaimsOnASheet(t *testing.T) {
	done := &loop.Claim{Kind: loop.ClaimDone, Text: "DONE"}
	for want, o := range map[string]loop.Outcome{
		"":                              {},
		`done "DONE", proven`:           {Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Proven: true}},
		`done "DONE", nothing broke`:    {Claim: done, Proof: &loop.Proof{Level: loop.LevelKept}},
		`done "DONE", tests changed`:    {Claim: done, Proof: &loop.Proof{Level: loop.LevelTestsChanged}},
		`done "DONE", unproven`:         {Claim: done},
		`blocked "BLOCKED", unproven`:   {Claim: &loop.Claim{Kind: loop.ClaimBlocked, Text: "BLOCKED"}},
		`done "DONE", refused: it lied`: {Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Why: "it lied"}},
	} {
		if got := claim(&o); got != want {
			t.Errorf("claim(%+v) = %q, want %q", o, got, want)
		}
	}
}

func TestAttemptsInAList(t *testing.T) {
	none := false
	idle := ok()
	idle.Progress = &none
	worked := failedBy(failing("test", "1 of 12 tests"), passing("lint", 0))
	yes := true
	worked.Progress, worked.ProgressBy = &yes, []loop.ProgressBy{loop.InFiles, loop.InTests}
	worked.Tests = &loop.Tests{Total: 14, Passed: 11, Failed: 1, Skipped: 2}
	worked.Changes = &loop.Changes{Created: 1, LinesAdded: 1040, LinesRemoved: 3}
	goOn, end := loop.Verdict{Action: loop.Continue}, loop.Verdict{Action: loop.Stop, Why: "the\tend"}
	bare := begin(10, 0).
		in(1, 1, &loop.IterationFinished{Outcome: ok(), Verdict: goOn}).
		in(2, 2, &loop.IterationFinished{Outcome: idle, Verdict: end})
	rich := begin(10, 0).
		in(1, 1, &loop.IterationFinished{Outcome: worked, Verdict: goOn}).
		in(2, 1, &loop.IterationFinished{Outcome: idle, Verdict: end})

	tests := []struct {
		name   string
		story  *story
		colour bool
		want   string
	}{
		{"without evidence", bare, false, `
ITERATION      RESULT  TIME  PROGRESS  THEN
1              ok      0.0s  unknown   continue
2 (attempt 2)  ok      0.0s  none      stop: the end
`},
		{"with evidence", rich, false, `
ITERATION  RESULT  TIME  PROGRESS      TESTS  GATES                 LINES      THEN
1          failed  0.0s  files, tests  11/12  test failed, lint ok  +1,040 -3  continue
2          ok      0.0s  none                                                  stop: the end
`},
		{"with signs", rich, true, `
ITERATION  RESULT  TIME  PROGRESS      TESTS  GATES           LINES      THEN
1          failed  0.0s  files, tests  11/12  ✗ test, ✓ lint  +1,040 -3  continue
2          ok      0.0s  none                                            stop: the end
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), Attempts(tt.story.events, Options{Color: tt.colour})); diff != "" {
				t.Errorf("list (-want +got):\n%s", diff)
			}
		})
	}
}
