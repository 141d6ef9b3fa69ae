package term

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestCard(t *testing.T) {
	limits := loop.Limits{Iterations: 5, Failures: 3}
	worked := ok()
	worked.Changes = &loop.Changes{Created: 1, Modified: 2, LinesAdded: 1040, LinesRemoved: 3, Commits: 1}
	tests := []struct {
		name  string
		story *story
		died  bool
		want  string
	}{
		{
			"running",
			begin(10, 0).tell(build(limits)).iteration(second, 5, worked).
				in(2, 1, &loop.IterationStarted{Max: 5}, &loop.IterationPhase{Phase: loop.Gates}), false,
			`
build-7: running, iteration 2/5, gates
  iterations  1 of 5 (1 ok)
  time        1s
  changed     3 files (+1,040 -3 lines), 1 commit
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain logs -f build-7
`,
		},
		{
			"waiting",
			begin(10, 0).tell(build(limits)).iteration(second, 5, ok()).
				tell(&loop.RunWaiting{Why: "usage limit (five_hour)", Until: time.Date(2026, 11, 3, 12, 0, 0, 0, time.Local)}), false,
			`
build-7: iteration 1/5, waiting
  why         usage limit (five_hour)
  iterations  1 of 5 (1 ok)
  time        1s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain logs -f build-7
`,
		},
		{
			"exhausted, with a refused claim",
			begin(10, 0).tell(build(limits)).
				in(1, 1, &loop.IterationStarted{Max: 5}, &loop.ClaimRefused{Text: "DONE", Why: "the tag was quoted, and a quoted tag is talk about the claim, not the claim"}).
				in(1, 1, &loop.IterationFinished{Outcome: ok()}).
				tell(finished(loop.Exhausted, loop.ByIterations, "reached the limit of 5 iterations before done")), false,
			`
build-7: hit the limit
  why         reached the limit of 5 iterations before done
  refused     the claim "DONE" was refused: the tag was quoted, and a quoted tag
              is talk about the claim, not the claim
  iterations  1 of 5 (1 ok)
  time        0s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain resume build-7 -n 10
  next        refrain show build-7
`,
		},
		{
			"died",
			begin(10, 0).tell(build(limits)), true,
			`
build-7: died
  why         the runner died: the journal has no end and nobody holds the lock
  iterations  0 of 5
  time        0s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain resume build-7
  next        refrain show build-7
`,
		},
		{
			"before the first iteration, in a gate",
			begin(10, 0).tell(build(limits), &loop.GateStarted{Name: "test", Where: loop.InWorkspace}), false,
			`
build-7: running, gate test in the work tree
  iterations  0 of 5
  time        0s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain logs -f build-7
`,
		},
		{
			"done and proven",
			begin(10, 0).tell(build(limits), baselineOf(passing("test", 12), nil)).
				iteration(second, 5, provenBy(passing("test", 12), loop.Gate{Name: "lint", OK: true, Where: loop.InClean})).
				tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true, Why: `promise "DONE" found, and the gates agree`}), false,
			`
build-7: done, proven (gates: test, lint in a clean checkout)
  why         promise "DONE" found, and the gates agree
  gates       test passed (12 tests, 0.9s); lint passed (0.0s)
  iterations  1 of 5 (1 ok)
  time        1s
  changed     2 files, 1 commit
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain show build-7
`,
		},
		{
			"gave up with red gates",
			begin(10, 0).tell(build(limits), baselineOf(passing("test", 12), nil)).
				iteration(second, 5, failedBy(failing("test", "3 of 12 tests"))).
				tell(finished(loop.Aborted, loop.ByRedGates, "gates failed in 5 iterations in a row")), false,
			`
build-7: gave up
  why         gates failed in 5 iterations in a row
  proof       claims are proven in a clean checkout
  gates       test failed (3 of 12 tests)
  iterations  1 of 5 (1 failed)
  time        1s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain resume build-7
  next        refrain show build-7
`,
		},
		{
			"not all saved",
			begin(10, 0).tell(build(limits)).
				tell(&loop.RunFinished{State: loop.Done, Proven: true, Why: "all gates pass", Unsaved: []string{"the journal: disk full"}}), false,
			`
build-7: done, proven
  why         all gates pass
  iterations  0 of 5
  time        0s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  not saved   the journal: disk full
  next        refrain show build-7
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := tt.story.run()
			run.Dir = "/runs/build-7"
			if tt.died {
				run.Died()
			}
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), Card(run, at(tt.story, 80, false))); diff != "" {
				t.Errorf("card (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnExhaustedRunIsResumedWithARaisedLimit(t *testing.T) {
	limits := loop.Limits{Iterations: 5, Time: loop.Span(time.Hour), CostUSD: 2.5, Tokens: 1000}
	for reason, want := range map[loop.Reason]string{
		loop.ByIterations: "refrain resume build-7 -n 10",
		loop.ByTime:       "refrain resume build-7 --max-time 2h00m",
		loop.ByCost:       "refrain resume build-7 --max-cost 5.00",
		loop.ByTokens:     "refrain resume build-7 --max-tokens 2000",
	} {
		run := begin(10, 0).tell(build(limits)).tell(finished(loop.Exhausted, reason, "")).run()
		if got := next(run)[0]; got != want {
			t.Errorf("after %s: %q, want %q", reason, got, want)
		}
	}
}

func TestAPathOnACardStaysInOnePiece(t *testing.T) {
	path := "/home/somebody/with-a-long-name/project/.git/refrain/runs/build-7"
	got := row{"files", path}.layout(Options{Width: func() int { return 40 }})
	if want := "  files       " + path + "\n"; got != want {
		t.Errorf("row %q, want %q", got, want)
	}
}
