package tui

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// An iteration of several attempts has one diff, and each attempt's own figures would be
// wrong above it.
func TestTheFiguresAreThoseOfTheDiffBelow(t *testing.T) {
	s := begin().worked(2)
	s.in(2, 1, &loop.IterationStarted{Max: 20}, &loop.IterationFinished{
		Outcome: loop.Outcome{Result: loop.Interrupted, Work: loop.Work{Changes: &loop.Changes{}}},
		Verdict: loop.Verdict{Action: loop.Continue},
	})
	s.in(2, 2, &loop.IterationStarted{Max: 20}, &loop.IterationFinished{
		Outcome: loop.Outcome{Result: loop.OK, Work: loop.Work{Changes: &loop.Changes{Modified: 7}}},
		Verdict: loop.Verdict{Action: loop.Continue},
	})
	w := &world{diff: "diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a remark that went\n+++ one that came\n select 1\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n x\n+y\n"}
	m := w.shown(s, 80, 24)
	press(m, "3")
	wantShown(t, m, "Iteration 2.2  2 files, +2 −1")
	press(m, "left")
	wantShown(t, m, "Iteration 2  2 files, +2 −1")
	if got := diffStyle("--- a remark that went", true); got != bad {
		t.Errorf("a line that went has the style %d", got)
	}
}
