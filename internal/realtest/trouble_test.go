package realtest

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestABrokenServerIsWaitedOut(t *testing.T) {
	each(t, func(r recipe) bool { return r.impatient }, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.model.Play(t, w.script("error-500"))
		run := w.run("-n", "1", "--until", "DONE")
		run.until("refrain waits for the provider", func() bool { return len(of[*loop.RunWaiting](w.journal())) > 0 })
		w.model.Play(t, w.script("tools"))
		run.exits(0)

		w.checkDone(1) // though -n 1 leaves no iteration to spare
		if first := w.outcomes()[0]; first.Result != loop.Unavailable {
			t.Errorf("the first attempt is %s with %+v, want unavailable", first.Result, first.Error)
		}
	})
}

// A turn limit keeps the work and not the word: what is claimed on the way is
// not heard.
func TestATurnLimitIsNoFailure(t *testing.T) {
	commands := map[string]string{
		"claude": `["claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "--max-turns", "2"]`,
		"qwen":   `["qwen", "--output-format", "stream-json", "--approval-mode", "auto-edit", "--allowed-tools", "run_shell_command", "--max-session-turns", "2"]`,
	}
	each(t, only("claude", "qwen"), func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		script := w.script("endless")
		script.Turns[0].Text = "<promise>DONE</promise>"
		w.model.Play(t, script)
		w.start("run", "-a", r.name, "-p", "Do the task.", "-n", "1", "--until", "DONE",
			"--set", "agents."+r.name+".command="+commands[r.name], "--set", "agents."+r.name+".format="+r.name).exits(2)

		list := w.outcomes()
		if len(list) != 1 || list[0].Result != loop.OK || list[0].Error == nil || list[0].Error.Kind != loop.ErrMaxTurns {
			t.Errorf("want one attempt that is ok and unfinished, got %+v", list)
		}
	})
}
