package realtest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fakemodel"
	"github.com/refrain-loop/refrain/internal/loop"
)

// The promise: the ladder ends everything within this time, and when the runner
// is dead nothing climbs any ladder.
const (
	ladder     = 6 * time.Second
	afterDeath = time.Second
)

// These start their tools in sessions of their own, which a signal to the agent
// or to its group does not reach.
var daring = only("claude", "codex", "opencode")

// drowsy starts a run whose agent is to use a tool that takes minutes.
func (w *world) drowsy(flags ...string) *runner {
	w.Helper()
	w.model.Play(w, fakemodel.Load(w, "longtool", map[string]string{"COMMAND": "touch asleep; sleep 347; echo woke > " + w.tree + "/woke"}))
	return w.run(append([]string{"-n", "1"}, flags...)...)
}

// asleep tells whether the agent has got to its tool.
func (w *world) asleep() bool {
	_, err := os.Stat(filepath.Join(w.tree, "asleep"))
	return err == nil
}

// sleeping is a run whose agent is in the middle of its tool.
func (w *world) sleeping() *runner {
	w.Helper()
	run := w.drowsy()
	run.until("the agent runs its tool", w.asleep)
	return run
}

func TestTwoInterruptsLeaveNothingBehind(t *testing.T) {
	each(t, daring, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		run := w.sleeping()
		run.signal(os.Interrupt)
		run.until("the first Ctrl+C is heard", func() bool { return len(of[*loop.CommandReceived](w.journal())) > 0 })
		run.signal(os.Interrupt)
		w.noSurvivors(ladder)
		run.exits(130)
		if list := w.outcomes(); len(list) != 1 || list[0].Result != loop.Interrupted {
			t.Errorf("want one attempt that was interrupted, got %+v", list)
		}
	})
}

func TestATimeoutLeavesNothingBehind(t *testing.T) {
	each(t, daring, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		// A busy machine needs more time to get to the tool.
		for limit := 10 * time.Second; !w.asleep(); limit *= 2 {
			if limit > patience {
				t.Fatalf("%s did not get to its tool in %v", r.name, limit/2)
			}
			w.drowsy("--iteration-timeout", limit.String()).exits(2)
			w.noSurvivors(0) // the runner has ended, so nothing may be left
		}
		if list := w.outcomes(); len(list) != 1 || list[0].Result != loop.TimedOut {
			t.Errorf("want one attempt that timed out, got %+v", list)
		}
	})
}

func TestAKilledRunnerLeavesNothingBehind(t *testing.T) {
	each(t, daring, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		run := w.sleeping()
		run.signal(syscall.SIGKILL)
		w.noSurvivors(afterDeath)
		run.exits(-1)
	})
}

// A tool's background job outlives a good end of most agents.
func TestAGoodEndLeavesNothingBehind(t *testing.T) {
	each(t, all, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.model.Play(t, fakemodel.Load(t, "longtool", map[string]string{"COMMAND": "nohup setsid sleep 347 >/dev/null 2>&1 & touch asleep"}))
		w.run("-n", "1").exits(0)
		if !w.asleep() {
			t.Error("the tool was not run")
		}
		w.noSurvivors(0)
	})
}
