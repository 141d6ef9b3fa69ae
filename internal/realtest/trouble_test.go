package realtest

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/fakemodel"
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

// resetsIn is how long the usage limit of the test lasts, in seconds.
const resetsIn = 8

func TestAUsageLimitIsWaitedOut(t *testing.T) {
	// The others know no such limit: for them it is a 429, and they try again by
	// themselves for minutes.
	each(t, only("claude", "codex"), func(t *testing.T, r recipe) {
		if r.name == "claude" { // only a subscription has such limits
			r.env = slices.Clone(r.env)
			r.env[slices.Index(r.env, "ANTHROPIC_API_KEY=sk-test")] = "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-test"
		}
		w := newWorld(t, r)
		script := w.script("tools")
		script.Index = "counter"
		script.Turns = append([]fakemodel.Turn{{Error: &fakemodel.Error{Kind: "usage_limit", ResetsInS: resetsIn}}}, script.Turns...)
		w.model.Play(t, script)
		w.run("-n", "1", "--until", "DONE").exits(0)

		w.checkDone(1) // though -n 1 leaves no iteration to spare
		list := w.outcomes()
		if len(list) != 2 || list[0].Result != loop.Limited || list[0].Error.Kind != loop.ErrUsageLimit {
			t.Fatalf("want an attempt that was limited and one more, got %+v", list)
		}
		w.checkWaited(list[0])
	})
}

// checkWaited checks that nothing was started before the limit's end, if the
// CLI has told one.
func (w *world) checkWaited(limited loop.Outcome) {
	w.Helper()
	if limited.Limit == nil {
		w.Fatalf("the outcome has no limit: %+v", limited)
	}
	until := limited.Limit.Until
	if w.recipe.name == "claude" && until.IsZero() {
		w.Error("claude says when its limit is over, and the outcome does not")
	}
	var starts []loop.Event
	for _, e := range w.journal() {
		if _, ok := e.Payload.(*loop.AgentStarted); ok {
			starts = append(starts, e)
		}
	}
	if again := starts[1].Time; again.Before(until) {
		w.Errorf("the agent started again at %v, before the limit's end at %v", again, until)
	}
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
