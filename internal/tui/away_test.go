package tui

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// away puts the run of a screen elsewhere.
func away(over bool) func(*Options) {
	return func(o *Options) {
		o.Away = func() *view.Away {
			return &view.Away{Called: "nightly", Remote: "https://git.example.com/site", Branch: "refrain/nightly", Who: "leg 2, with w1", Over: over}
		}
	}
}

func TestARunThatRestsElsewhereTakesCommands(t *testing.T) {
	w := &world{}
	m := w.shown(begin().worked(1).tell(&loop.RunParked{Why: "the worker leaves"}), 120, 24, away(false))
	do(m, redraw{})
	wantShown(t, m, "nightly", "parked", "leg 2, with w1", "p go on")
	press(m, "p")
	if len(w.sent) != 1 || w.sent[0].Command != "resume" {
		t.Errorf("p sends %v", w.sent)
	}
	press(m, "t", "h", "i", "enter")
	if len(w.sent) != 2 || w.sent[1].Text != "hi" {
		t.Errorf("a note sends %v", w.sent)
	}
	press(m, "R")
	if got := footer(m); got != "The run is alive. p goes on with one that is paused, c cuts a wait short." {
		t.Errorf("after R: %q", got)
	}
}

func TestWhatNeedsTheFilesOfARunElsewhereSaysWhatToType(t *testing.T) {
	w := &world{around: true}
	m := w.shown(begin().worked(1).tell(&loop.RunFinished{State: loop.Exhausted}), 120, 24, away(true))
	do(m, redraw{})
	wantHidden(t, m, "R resume")
	wantHidden(t, m, "leg 2, with w1")
	for _, key := range []string{"R", "v", "B"} {
		press(m, key)
		if got := footer(m); got != "Its files are elsewhere. Leave with q, then: refrain carry fetch loop_1 https://git.example.com/site --trust" {
			t.Errorf("after %s: %q", key, got)
		}
	}
	press(m, "t")
	if got := footer(m); got != "The run is over." || len(w.sent) > 0 {
		t.Errorf("after t: %q, sent %v", got, w.sent)
	}
}
