package term

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
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
  next        refrain logs -f build-7  # watch it
`,
		},
		{
			"waiting",
			begin(10, 0).tell(build(limits)).iteration(second, 5, ok()).
				tell(&loop.RunWaiting{Why: "usage limit (five_hour)", Until: time.Date(2026, 11, 3, 12, 0, 0, 0, time.Local)}), false,
			`
build-7: waiting until 12:00, for another 1h59m59s
  why         usage limit (five_hour)
  iterations  1 of 5 (1 ok)
  time        1s
  agent       claude, until "DONE"
  started     2026-11-03 10:00:00
  files       /runs/build-7
  next        refrain resume build-7  # wait no longer
              refrain stop build-7    # give up
`,
		},
		{
			"exhausted, with a refused claim",
			begin(10, 0).tell(build(limits)).
				in(1, 1, &loop.IterationStarted{Max: 5}, &loop.ClaimRefused{Text: "DONE", Why: "the tag was quoted, and a quoted tag is talk about the claim, not the claim"}, &loop.ClaimRefused{Why: "the tag was inside backticks", NearMiss: true}).
				in(1, 1, &loop.IterationFinished{Outcome: ok()}).
				tell(finished(loop.Exhausted, loop.ByIterations, "reached the limit of 5 iterations before done")), false,
			`
build-7: exhausted
  why         reached the limit of 5 iterations before done
  refused     iteration 1: claimed done, but the tag was quoted, and a quoted
              tag is talk about the claim, not the claim
  near miss   the tag was inside backticks
  iterations  1 of 5 (1 ok)
  time        0s
  agent       claude, until "DONE"
  processes   none left running
  started     2026-11-03 10:00:00, ended 10:00:00
  files       /runs/build-7
  next        refrain resume build-7 -n 10  # go on
              refrain show build-7          # how it went
`,
		},
		{
			"died",
			begin(10, 0).tell(build(limits)), true,
			`
build-7: crashed
  why         the runner died: the journal has no end and nobody holds the lock
  iterations  0 of 5
  time        0s
  agent       claude, until "DONE"
  processes   what may be left is ended by resume, or by the next run here
  started     2026-11-03 10:00:00, last heard of at 10:00:00
  files       /runs/build-7
  next        refrain resume build-7  # go on
              refrain show build-7    # how it went
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
  next        refrain logs -f build-7  # watch it
`,
		},
		{
			"done and proven",
			begin(10, 0).tell(build(limits), baselineOf(passing("test", 12), nil)).
				iteration(second, 5, provenBy(passing("test", 12), loop.Gate{Name: "lint", OK: true, Where: loop.InClean})).
				tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true, Why: `promise "DONE" found, and the gates agree`}), false,
			`
build-7: done, proven in a clean checkout by test, lint (12 tests)
  why         promise "DONE" found, and the gates agree
  proof       every gate passed
  iterations  1 of 5 (1 ok)
  time        1s
  changed     2 files, 1 commit
  agent       claude, until "DONE"
  processes   none left running
  started     2026-11-03 10:00:00, ended 10:00:01
  files       /runs/build-7
  next        refrain review build-7  # look through it, commit it
              refrain show build-7    # how it went
`,
		},
		{
			"gave up with red gates",
			begin(10, 0).tell(build(limits), baselineOf(passing("test", 12), nil)).
				iteration(second, 5, failedBy(failing("test", "3 of 12 tests"))).
				tell(finished(loop.Aborted, loop.ByRedGates, "gates failed in 5 iterations in a row")), false,
			`
build-7: aborted
  why         gates failed in 5 iterations in a row
  proof       claims are proven in a clean checkout
  gates       test failed (3 of 12 tests)
  iterations  1 of 5 (1 failed)
  time        1s
  agent       claude, until "DONE"
  processes   none left running
  started     2026-11-03 10:00:00, ended 10:00:01
  files       /runs/build-7
  next        refrain show build-7/1  # what went wrong
              refrain resume build-7  # try again
`,
		},
		{
			"not all saved",
			begin(10, 0).tell(build(limits)).
				tell(&loop.RunFinished{State: loop.Done, Proven: true, Why: "all gates pass", Unsaved: []string{"the journal: disk full"}}), false,
			`
build-7: done, proven
  why         all gates pass
  proof       every gate passed
  iterations  0 of 5
  time        0s
  agent       claude, until "DONE"
  processes   none left running
  started     2026-11-03 10:00:00, ended 10:00:00
  files       /runs/build-7
  not saved   the journal: disk full
  next        refrain show build-7  # how it went
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

// nightStory is a night as people hope for it: claims that were refused, waits
// for the provider, and a proof in the end.
func nightStory() *story {
	yes := true
	work := func(gates ...loop.Gate) loop.Outcome {
		o := ok()
		o.Progress, o.Agent, o.Model, o.BilledTo = &yes, "claude", "large", "subscription"
		o.Usage = &loop.Usage{Input: 90000, Output: 12000, CostUSD: 0.42, CostEstimated: true}
		o.Changes = &loop.Changes{Created: 1, Modified: 3, LinesAdded: 520, LinesRemoved: 31, Commits: 1}
		o.Gates = gates
		return o
	}
	started := build(loop.Limits{Iterations: 20, CostUSD: 10})
	started.Prompt, started.Branch, started.Dir = "Build the wheel", "loop/20261103-2200", "/home/ada/wheel/.git/refrain/runs/build-7"
	started.Counting.Agents = []string{"claude", "codex"}
	baseline := baselineOf(passing("test", 48), nil)
	baseline.SetUp = true
	s := begin(22, 0).tell(started, baseline)
	for _, why := range []string{"gate test failed (3 of 48 tests)", "gate test failed (3 of 48 tests) with the pinned files as they were when the run began (changed: wheel_test.go)"} {
		s.iteration(371*second, 20, work(passing("test", 48)))
		until := s.now.Add(96 * time.Minute)
		limited := loop.Outcome{Result: loop.Limited, Worker: loop.Worker{Agent: "claude"}, Limit: &loop.Limit{Kind: "five_hour", Until: until}, EndedAt: s.now}
		n := s.sum.Next()
		s.in(n, 1, &loop.IterationStarted{Max: 20}, &loop.IterationFinished{Outcome: limited}).
			tell(&loop.RunWaiting{Rule: "limit", Agent: "claude", Why: "usage limit (five_hour)", For: loop.Millis(96 * time.Minute), Until: until}).
			after(96 * time.Minute)
		refused := work(failing("test", "3 of 48 tests"))
		refused.Result, refused.Duration = loop.Failed, loop.Millis(512*second)
		refused.Claim = &loop.Claim{Kind: loop.ClaimDone, Text: "DONE", Why: why}
		s.in(n, 2, &loop.IterationStarted{Max: 20}).after(512*second).
			in(n, 2, &loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: why}, &loop.IterationFinished{Outcome: refused})
	}
	proven := provenBy(passing("test", 48), loop.Gate{Name: "lint", OK: true})
	proven.Progress, proven.Agent, proven.BilledTo = &yes, "claude", "subscription"
	return s.iteration(300*second, 20, proven).
		tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Proven: true, Why: `promise "DONE" found, and the gates agree`})
}

func TestTheCardInTheMorning(t *testing.T) {
	tests := []struct {
		width int
		want  string
	}{
		{80, `
build-7: done, proven in a clean checkout by test, lint (48 tests)
  why         promise "DONE" found, and the gates agree
  proof       every gate passed
  refused     iteration 2: claimed done, but gate test failed (3 of 48 tests);
              sent back
              iteration 4: claimed done, but gate test failed (3 of 48 tests)
              with the pinned files as they were when the run began (changed:
              wheel_test.go); sent back
  iterations  5 of 20 (3 ok, 2 failed), 6m53s ± 1m35s each
  time        3h46m, of which 3h12m in 2 waits for the provider
  cost        ≈$1.68 (estimated), 408,000 tokens, ≈$0.56 per proven change
  changed     18 files (+2,080 -124 lines), 5 commits
  agent       claude (large), until "DONE", billed to your subscription
  processes   none left running
  started     2026-11-03 22:00:00, ended 01:46:26
  branch      loop/20261103-2200
  files       /home/ada/wheel/.git/refrain/runs/build-7
  next        refrain review build-7        # look through it, commit it
              git merge loop/20261103-2200  # take it, on your own branch
              refrain show build-7          # how it went
`},
		{60, `
build-7: done, proven in a clean checkout by test, lint (48
  tests)
  why         promise "DONE" found, and the gates agree
  proof       every gate passed
  refused     iteration 2: claimed done, but gate test
              failed (3 of 48 tests); sent back
              iteration 4: claimed done, but gate test
              failed (3 of 48 tests) with the pinned files
              as they were when the run began (changed:
              wheel_test.go); sent back
  iterations  5 of 20 (3 ok, 2 failed), 6m53s ± 1m35s each
  time        3h46m, of which 3h12m in 2 waits for the
              provider
  cost        ≈$1.68 (estimated), 408,000 tokens, ≈$0.56 per
              proven change
  changed     18 files (+2,080 -124 lines), 5 commits
  agent       claude (large), until "DONE", billed to your
              subscription
  processes   none left running
  started     2026-11-03 22:00:00, ended 01:46:26
  branch      loop/20261103-2200
  files       /home/ada/wheel/.git/refrain/runs/build-7
  next        refrain review build-7
              git merge loop/20261103-2200
              refrain show build-7
`},
		{40, `
build-7: done, proven in a clean
  checkout by test, lint (48
  tests)
  why         promise "DONE" found, and
              the gates agree
  proof       every gate passed
  refused     iteration 2: claimed done,
              but gate test failed (3 of
              48 tests); sent back
              iteration 4: claimed done,
              but gate test failed (3 of
              48 tests) with the pinned
              files as they were when
              the run began (changed:
              wheel_test.go); sent back
  iterations  5 of 20 (3 ok, 2 failed),
              6m53s ± 1m35s each
  time        3h46m, of which 3h12m in 2
              waits for the provider
  cost        ≈$1.68 (estimated),
              408,000 tokens, ≈$0.56 per
              proven change
  changed     18 files (+2,080 -124
              lines), 5 commits
  agent       claude (large), until
              "DONE", billed to your
              subscription
  processes   none left running
  started     2026-11-03 22:00:00, ended
              01:46:26
  branch      loop/20261103-2200
  files       /home/ada/wheel/.git/refrain/runs/build-7
  next        refrain review build-7
              git merge loop/20261103-2200
              refrain show build-7
`},
	}
	for _, tt := range tests {
		s := nightStory()
		if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), Card(s.run(), at(s, tt.width, false))); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", tt.width, diff)
		}
		if wide, most := Card(s.run(), at(s, 200, false)), Card(s.run(), at(s, 80, false)); wide != most {
			t.Errorf("on a wide screen the card is not the one for 80 columns:\n%s", wide)
		}
	}
}

// What has one line in a card keeps to it, whoever has written it.
func TestHostileTextStaysOnItsLine(t *testing.T) {
	evil := "evil\x1b[2J\r\n  processes   none\u2028 left\u202e running\a"
	s := begin(10, 0).tell(&loop.RunStarted{
		Name: "build-7", Procedure: evil, Agent: evil, Model: evil, Promise: evil, Branch: evil, Prompt: evil, Dir: evil,
		Limits: loop.Limits{Iterations: 5}, Counting: loop.CountPolicy{Agents: []string{evil}},
	})
	o := ok()
	o.Agent, o.BilledTo, o.Denied, o.Gates = "other", evil, []string{evil}, []loop.Gate{{Name: evil, Why: evil}}
	away := loop.Outcome{Result: loop.Limited, Worker: loop.Worker{Agent: evil}, Limit: &loop.Limit{Kind: evil}}
	s.in(1, 1, &loop.IterationStarted{Max: 5}, &loop.ClaimRefused{Why: evil}, &loop.ClaimRefused{Why: evil, NearMiss: true}, &loop.IterationFinished{Outcome: away}).
		in(1, 2, &loop.IterationStarted{Max: 5}, &loop.IterationFinished{Outcome: o}).
		tell(&loop.RunWaiting{Rule: "limit", Agent: evil, Why: evil, Until: s.now})
	waiting := s.run()
	s.tell(&loop.RunFinished{State: loop.Aborted, Reason: loop.ByBlocked, Why: evil, Unsaved: []string{evil}})
	ended := s.run()
	ended.Tree, ended.Left = evil, &[]string{evil}

	s.tell(&loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: evil, Proof: &loop.Proof{
		Level: loop.LevelTestsChanged, Why: evil, Tree: evil, Gates: []string{evil}, Flaky: []string{evil}, Files: []string{evil}, Place: loop.Place(evil),
		Diff: "+" + evil, Tests: &loop.ProofTests{Fixed: []string{evil}, Changed: []loop.TestChange{{Name: evil, What: loop.TestGone, Why: evil}}},
	}})
	done := s.run()
	done.Left = nil

	look := at(s, 0, false)
	for name, card := range map[string]string{"waiting": Card(waiting, look), "ended": Card(ended, look), "done": Card(done, look), "leave": Leave(waiting, look)} {
		if strings.Count(card, "evil") < 2 {
			t.Errorf("%s: what was said is not there:\n%s", name, card)
		}
		for line := range strings.Lines(card) {
			if text.Line(line) != strings.Join(strings.Fields(line), " ") || strings.HasPrefix(line, "  processes   none left running\n") {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
}
