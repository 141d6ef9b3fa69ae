package tui

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheChangesOfTheIterationUnderWay(t *testing.T) {
	diff, asked, failing := "diff --git a/x b/x\n@@ -1 +1 @@\n+one\n", []string{}, error(nil)
	w := &world{diff: "diff --git a/y b/y\n+all of it\n"}
	s := begin().tell(&loop.CheckpointMade{Checkpoint: "c0", Base: true}).working()
	m := w.shown(s, 80, 24, func(o *Options) {
		o.Live = func(_ context.Context, _, since string) (string, error) {
			asked = append(asked, since)
			return diff, failing
		}
	})
	do(m, redraw{})
	if len(asked) > 0 {
		t.Error("the files are looked at though nobody looks at the changes")
	}
	press(m, "3")
	wantShown(t, m, "Iteration 1  so far  1 file, +1 −0", "+one")
	diff += "+two\n"
	do(m, redraw{})
	wantHidden(t, m, "+two") // not more often than every now and then
	s.after(diffEvery)
	do(m, redraw{})
	wantShown(t, m, "Iteration 1  so far  1 file, +2 −0", "+two")
	failing = errors.New("too large")
	s.after(diffEvery)
	do(m, redraw{})
	wantShown(t, m, "too large")
	diff, failing = "", nil
	s.after(diffEvery)
	do(m, redraw{})
	wantShown(t, m, "Nothing has changed so far.")
	if len(asked) != 4 || asked[3] != "c0" {
		t.Errorf("looked at what changed since %v", asked)
	}

	s.in(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Left: loop.Left{Checkpoint: "c1"}}, Verdict: loop.Verdict{Action: loop.Continue}})
	m.data.observe(s.events[len(s.events)-1])
	do(m, redraw{})
	wantShown(t, m, "Iteration 1  1 file", "+all of it")
	wantHidden(t, m, "so far")
}

func TestWhichIterationDidATask(t *testing.T) {
	s := begin().in(1, 1, &loop.IterationStarted{}, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK, Work: loop.Work{Plan: &loop.Plan{Done: 1, Open: 1, Ticked: []string{"Greet"}}}}}).working()
	m := (&world{}).shown(s, 120, 30, func(o *Options) {
		o.Tasks = func(context.Context, string) ([]Task, error) {
			return []Task{{Text: "Greet [hello.md]", Title: "Greet", Done: true}, {Text: "Export", Title: "Export"}}, nil
		}
	})
	do(m, redraw{})
	wantShown(t, m, "✓ Greet [hello.md]", "#1 │", "✓ Greet")
}

func TestWhatFailedComesFirst(t *testing.T) {
	m := (&world{}).shown(begin().worked(2).working(), 80, 24, func(o *Options) {
		o.Gates = func(context.Context, string, int, int) ([]GateOutput, error) {
			failed := []Failure{{"x.TestAdd", "x_test.go:7: Add(1, 2) = -1, want 3"}}
			return []GateOutput{{Name: "test", Text: "…", Failing: failed}, {Name: "test in a clean checkout", Text: "…", Failing: failed}}, nil
		}
	})
	press(m, "4")
	page := m.panes.page()
	if got := page.blocks[0].text + page.blocks[1].text + page.blocks[2].text; got != "What failed  ✗ x.TestAdd    x_test.go:7: Add(1, 2) = -1, want 3" {
		t.Errorf("the gates begin with %q", got)
	}
}

func TestALimitIsRaisedOfARunThatIsOver(t *testing.T) {
	var asked []string
	m := (&world{}).shown(begin().worked(1).tell(&loop.RunFinished{State: loop.Exhausted}), 80, 24, func(o *Options) {
		o.Resume = func(run string, changed ...string) (*exec.Cmd, error) {
			asked = append(append(asked, run), changed...)
			return nil, errors.New("there is no program")
		}
	})
	press(m, "+")
	write(m, "30")
	press(m, "enter")
	wantShown(t, m, "there is no program")
	press(m, "+")
	write(m, "cost = 5")
	press(m, "enter")
	if got := strings.Join(asked, " "); got != "build-7 loop.max_iterations=30 build-7 budget.cost_usd=5" {
		t.Errorf("resumed %s", got)
	}
}

func TestReviewing(t *testing.T) {
	m := (&world{}).shown(begin().working(), 80, 24)
	press(m, "v")
	wantShown(t, m, "The run is alive")
	m = (&world{}).shown(begin().worked(0).done(), 80, 24)
	press(m, "v")
	wantShown(t, m, "refrain review build-7")
	m = (&world{}).shown(begin().worked(0).done(), 80, 24, func(o *Options) {
		o.Review = func(string) (*exec.Cmd, error) { return nil, errors.New("there is no program") }
	})
	press(m, "v")
	wantShown(t, m, "there is no program")
}

func TestWhatWasSaidBeforeTheScreenIsOnIt(t *testing.T) {
	said := func(o *Options) { o.Said = "The runs of this machine: http://127.0.0.1:4117/\nWARNING: no gates\n" }
	m := (&world{}).shown(begin().working(), 80, 24, said)
	if got := footer(m); got != "The runs of this machine: http://127.0.0.1:4117/" {
		t.Errorf("footer %q", got)
	}
	wantShown(t, m, "WARNING: no gates")
	var next LiveRun
	m = (&world{}).shown(begin().worked(0).done(), 80, 24, func(o *Options) { o.Switch = func(r LiveRun) { next = r } })
	if do(m, again{"WARNING: changed"}); next.Said != "WARNING: changed" {
		t.Errorf("the next screen is told %q", next.Said)
	}
	m = (&world{}).shown(begin().worked(0).done(), 80, 24)
	do(m, again{"WARNING: changed\n"})
	if got := footer(m); got != "WARNING: changed" {
		t.Errorf("footer %q", got)
	}
}

func TestThePlanIsReadOnceMoreAtTheEnd(t *testing.T) {
	reads := 0
	w := &world{}
	m := w.shown(begin().working(), 80, 24, func(o *Options) {
		o.Tasks = func(context.Context, string) ([]Task, error) {
			reads++
			return []Task{{Text: "Greet", Done: reads > 1}}, nil
		}
	})
	do(m, redraw{})
	do(m, redraw{})
	wantShown(t, m, "tasks 0/1")
	n := len(w.story.events)
	w.story.done()
	for _, e := range w.story.events[n:] {
		m.data.observe(e)
	}
	m.panes.tasks.next = w.story.now.Add(tasksEvery)
	do(m, redraw{})
	wantShown(t, m, "tasks 1/1")
	if do(m, redraw{}); reads != 2 {
		t.Errorf("the plan was read %d times, want once more at the end", reads)
	}
}
