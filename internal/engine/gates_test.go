package engine_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proof"
	"github.com/refrain-loop/refrain/internal/steer"
)

// checks is a gate that a test plays: one verdict after the other, the last one
// again and again.
type checks struct {
	name string
	says []func(ctx context.Context) gate.Result
	ran  int
}

func (c *checks) Name() string { return c.name }

func (c *checks) Check(ctx context.Context, p gate.Place) gate.Result {
	r := c.says[min(c.ran, len(c.says)-1)](ctx)
	c.ran++
	r.Name, r.Where = c.name, p.Where
	io.WriteString(p.Log, "looked\n")
	return r
}

func passes(context.Context) gate.Result { return gate.Result{Gate: loop.Gate{OK: true}} }

func refuses(context.Context) gate.Result {
	return gate.Result{Gate: loop.Gate{Why: "exit 1"}, Tail: "it is broken"}
}

// counts tells of so many tests, all of which fail but for the first.
func countsTests(passed int, failing ...string) func(context.Context) gate.Result {
	return func(context.Context) gate.Result {
		total, exit := passed+len(failing), min(1, len(failing))
		return gate.Result{
			Gate:  loop.Gate{OK: len(failing) == 0, Exit: &exit, Tests: total, Why: "tests"},
			Tests: &loop.Tests{Total: total, Passed: passed, Failed: len(failing), Failing: failing},
		}
	}
}

func gateThat(says ...func(context.Context) gate.Result) *checks {
	return &checks{name: "test", says: says}
}

// judged gives the stage gates, with the proof in the work tree.
func (s *stage) judged(gates ...*checks) *stage {
	s.settings.Done.Proof = true
	s.options = func(o *app.Blueprint) {
		o.Judge.Proof = proof.Settings{Mode: "workspace", Baseline: true}
		o.FeedbackRoom = 1000
		o.Prompt.Feedback.Enabled = true
		for _, g := range gates {
			o.Judge.Gates = append(o.Judge.Gates, proof.Gate{Gate: g})
		}
	}
	return s
}

func (s *stage) prompt(attempt string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, ".refrain/runs/build-1/iterations", attempt, "prompt.md"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func TestAClaimNeedsTheGates(t *testing.T) {
	bubble(t, "it is refused while one fails, and the next agent hears why", func(t *testing.T) {
		g := gateThat(passes, refuses, passes)
		s := newStage(t, says("<promise>DONE</promise>")).judged(g)
		end := s.run(nil)
		if end.State != loop.Done || end.Proof == nil || end.Totals.Iterations != 2 {
			t.Errorf("end = %+v, want done, proven, after 2 iterations", end)
		}
		if g.ran != 3 {
			t.Errorf("the gate ran %d times, want once for the baseline and once for each attempt", g.ran)
		}
		for _, want := range []string{"gate test failed", "it is broken", `the claim "DONE" was refused`} {
			if !strings.Contains(s.prompt("0002"), want) {
				t.Errorf("the second prompt lacks %q:\n%s", want, s.prompt("0002"))
			}
		}
	})
	bubble(t, "it must be made as often as confirmations say", func(t *testing.T) {
		s := newStage(t, says("<promise>DONE</promise>")).judged(gateThat(passes))
		s.settings.Done.Confirmations = 3
		if end := s.run(nil); end.Proof == nil || end.Totals.Iterations != 3 {
			t.Errorf("end = %+v, want proven after 3 iterations", end)
		}
	})
	bubble(t, "a claim that did not count is not believed later", func(t *testing.T) {
		s := newStage(t, says("<promise>DONE</promise>"), says("more"), says("<promise>DONE</promise>")).judged(gateThat(passes))
		s.settings.Done.Confirmations = 2
		if end := s.run(nil); end.Totals.Iterations != 4 {
			t.Errorf("end = %+v, want done at the second claim in a row", end)
		}
	})
	bubble(t, "gates alone are enough where that was asked for", func(t *testing.T) {
		g := gateThat(refuses, refuses, passes)
		s := newStage(t, says("working")).judged(g)
		with := s.options
		s.options = func(o *app.Blueprint) { with(o); o.Done.Gates = true }
		s.settings.Done.Gates = true
		if end := s.run(nil); end.Reason != loop.ByGates || end.Proof == nil || end.Totals.Iterations != 2 {
			t.Errorf("end = %+v, want done by gates after 2 iterations", end)
		}
	})
	bubble(t, "an agent that failed is not looked at by gates", func(t *testing.T) {
		g := gateThat(passes)
		s := newStage(t, fails).judged(g)
		s.settings.Failures = 1
		s.run(nil)
		if g.ran != 1 {
			t.Errorf("the gate ran %d times, want only for the baseline", g.ran)
		}
	})
}

func TestGatesThatStayRedStopTheRun(t *testing.T) {
	bubble(t, "a gate that was green is not left red", func(t *testing.T) {
		s := newStage(t, writes("a")).judged(gateThat(passes, refuses))
		s.settings.RedGates = 5
		if end := s.run(nil); end.Reason != loop.ByRedGates || end.Totals.Iterations != 5 {
			t.Errorf("end = %+v, want red_gates at 5", end)
		}
	})
	bubble(t, "failing tests that get fewer are progress", func(t *testing.T) {
		g := gateThat(countsTests(0, "a", "b", "c"), countsTests(1, "a", "b"), countsTests(2, "a"), countsTests(3))
		s := newStage(t, says("<promise>DONE</promise>")).judged(g)
		s.settings.RedGates, s.settings.TestFailures, s.settings.NoProgress = 5, 2, 2
		with := s.options
		s.options = func(o *app.Blueprint) { with(o); o.Progress = []loop.ProgressBy{loop.InTests} }
		if end := s.run(nil); end.Proof == nil || end.Totals.Iterations != 3 {
			t.Errorf("end = %+v, want proven after 3 iterations", end)
		}
	})
	bubble(t, "a baseline that stays as red as it was is stopped by its tests", func(t *testing.T) {
		s := newStage(t, writes("a")).judged(gateThat(countsTests(0, "a", "b")))
		s.settings.RedGates, s.settings.TestFailures = 5, 5
		end := s.run(nil)
		if end.Reason != loop.ByTestFailures || end.Totals.Iterations != 5 || end.Totals.OK != 5 {
			t.Errorf("end = %+v, want test_failures at 5, none of them the iterations' own failure", end)
		}
	})
}

func waits(ctx context.Context) gate.Result {
	<-ctx.Done()
	return gate.Result{Interrupted: true}
}

func TestInterruptedGates(t *testing.T) {
	bubble(t, "a person who wants to stop at once leaves the attempt to the next runner", func(t *testing.T) {
		s := newStage(t, says("<promise>DONE</promise>")).judged(gateThat(passes, waits, passes))
		c := steer.NewControl()
		go func() {
			time.Sleep(time.Hour)
			c.Stop(loop.StopRequest{Now: true, Signal: "INT"})
		}()
		end := s.run(c)
		if end.State != loop.Stopped || end.Totals.Iterations != 0 {
			t.Errorf("end = %+v, want stopped with no iteration", end)
		}
		if got := s.results(); len(got) > 0 {
			t.Errorf("results = %v, want none: the attempt is not over", got)
		}
		if end := s.resume(); end.State != loop.Done || end.Totals.Iterations != 1 || s.ran != 1 {
			t.Errorf("end = %+v after %d agents, want done with the one", end, s.ran)
		}
	})
	bubble(t, "a first Ctrl+C lets them finish", func(t *testing.T) {
		slow := func(ctx context.Context) gate.Result {
			time.Sleep(time.Hour)
			return passes(ctx)
		}
		s := newStage(t, says("<promise>DONE</promise>")).judged(gateThat(passes, slow))
		c := steer.NewControl()
		go func() {
			time.Sleep(time.Minute)
			c.Stop(loop.StopRequest{Signal: "INT"})
		}()
		if end := s.run(c); end.State != loop.Done || end.Proof == nil {
			t.Errorf("end = %+v, want done: its last iteration was proven", end)
		}
	})
	bubble(t, "a first Ctrl+C ends the baseline", func(t *testing.T) {
		s := newStage(t, says("never")).judged(gateThat(waits))
		c := steer.NewControl()
		go func() {
			time.Sleep(time.Minute)
			c.Stop(loop.StopRequest{Signal: "INT"})
		}()
		if end := s.run(c); end.State != loop.Stopped || s.ran != 0 {
			t.Errorf("end = %+v after %d agents, want stopped before the first", end, s.ran)
		}
	})
	bubble(t, "the run's time limit holds for gates too", func(t *testing.T) {
		s := newStage(t, writes("a")).judged(gateThat(passes, waits))
		s.settings.Time = time.Hour
		if end := s.run(nil); end.Reason != loop.ByTime {
			t.Errorf("end = %+v, want exhausted by time", end)
		}
	})
}

// A runner that dies while gates run, however often, does not make the agent
// work again.
func TestGatesAreRunAgainAfterACrash(t *testing.T) {
	bubble(t, "without the agent", func(t *testing.T) {
		s := newStage(t, says("<promise>DONE</promise>")).judged(gateThat(passes))
		s.crash("claim.heard")
		if end := s.resume(); end.Proof == nil || end.Totals.Iterations != 1 || s.ran != 0 {
			t.Errorf("end = %+v after %d more agents, want proven after none", end, s.ran)
		}
	})
}

func TestAFinishedPlanIsAClaim(t *testing.T) {
	planned := func(t *testing.T, says string, gates ...*checks) *stage {
		s := newStage(t, func(_ context.Context, dir string, out io.Writer) int {
			os.WriteFile(filepath.Join(dir, "PLAN.md"), []byte("- [x] one\n"), 0o600)
			io.WriteString(out, finalOK)
			return 0
		}).judged(gates...)
		s.promise = ""
		s.settings.Done.Plan, s.settings.Done.Proof = true, len(gates) > 0
		os.WriteFile(filepath.Join(s.dir, "PLAN.md"), []byte(says), 0o600)
		with := s.options
		s.options = func(o *app.Blueprint) {
			with(o)
			o.Plan, o.Done.Plan = files.Anywhere(filepath.Join(s.dir, "PLAN.md")), true
		}
		return s
	}
	bubble(t, "after the attempt that ticks the last task", func(t *testing.T) {
		s := planned(t, "- [ ] one\n")
		if end := s.run(nil); end.Reason != loop.ByPlan || end.Proven || end.Totals.Iterations != 1 {
			t.Errorf("end = %+v, want done by plan, claimed", end)
		}
	})
	bubble(t, "before the first attempt, when the gates agree", func(t *testing.T) {
		s := planned(t, "- [x] one\n", gateThat(passes))
		if end := s.run(nil); end.Reason != loop.ByPlan || end.Proof == nil || end.Totals.Iterations != 0 || s.ran != 0 {
			t.Errorf("end = %+v after %d agents, want done by plan, proven, with none", end, s.ran)
		}
	})
	bubble(t, "and goes on when they do not", func(t *testing.T) {
		s := planned(t, "- [x] one\n", gateThat(refuses, refuses, passes))
		if end := s.run(nil); end.Reason != loop.ByPlan || end.Proof == nil || end.Totals.Iterations != 1 {
			t.Errorf("end = %+v, want done by plan after 1", end)
		}
	})
}
