package term

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAttemptsInAList(t *testing.T) {
	none := false
	idle := ok()
	idle.Progress = &none
	worked := failedBy(failing("test", "1 of 12 tests"), passing("lint", 0))
	yes := true
	worked.Progress, worked.ProgressBy = &yes, []loop.Signal{loop.InFiles, loop.InTests}
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
