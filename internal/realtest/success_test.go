package realtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fakemodel"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// toolsTokens is what the turns of the script "tools" add up to, with each
// cached token counted once.
const toolsTokens = (1000 + 50 + 900) + (200 + 40 + 900 + 100) + (150 + 20 + 1000 + 50)

func TestTwoIterationsWithTools(t *testing.T) {
	each(t, all, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.run("-n", "2").exits(0)

		if got := w.read("hello.txt"); strings.TrimSpace(got) != "hello refrain" {
			t.Errorf("the agent wrote %q", got)
		}
		list := w.outcomes()
		if len(list) != 2 {
			t.Fatalf("%d attempts, want 2: %+v", len(list), list)
		}
		for i, o := range list {
			w.checkOutcome(o)
			w.checkTranscript(i + 1)
		}
		if list[0].Session == list[1].Session {
			t.Errorf("both iterations had the session %q, want a fresh one each", list[0].Session)
		}
		if got, want := strings.Join(w.model.State().Played, " "), "turn 0 turn 1 turn 2"; strings.ReplaceAll(got, "side ", "") != want+" "+want {
			t.Errorf("the model played %q, want %q twice", got, want)
		}
		w.checkShown()
	})
}

func (w *world) checkOutcome(o loop.Outcome) {
	w.Helper()
	if o.Result != loop.OK || o.Error != nil {
		w.Errorf("result %s with error %+v, want ok", o.Result, o.Error)
	}
	if got := o.Usage.Tokens(); got != toolsTokens {
		w.Errorf("%d tokens, want %d: %+v", got, toolsTokens, o.Usage)
	}
	if got := costOf(o.Usage); got != w.recipe.cost {
		w.Errorf("the cost is %s, want it %s: %+v", got, w.recipe.cost, o.Usage)
	}
	if o.Agent != w.recipe.name || o.Session == "" {
		w.Errorf("agent %q, session %q: want %s with a session", o.Agent, o.Session, w.recipe.name)
	}
	if len(o.Denied) > 0 {
		w.Errorf("denied %q, want nothing", o.Denied)
	}
}

func costOf(u *loop.Usage) costs {
	switch {
	case u.Cost() == 0:
		return unknown
	case u.CostEstimated:
		return estimated
	}
	return told
}

// checkTranscript looks for the raw output of an iteration, and for its events.
func (w *world) checkTranscript(iteration int) {
	w.Helper()
	if raw := w.transcript(iteration); !strings.Contains(raw, "shell-ok") {
		w.Errorf("the transcript of iteration %d lacks the tool's output:\n%s", iteration, raw)
	}
	dir := w.attemptDir(iteration)
	var events []loop.Event
	for e, err := range journal.AttemptEvents(dir) {
		if err != nil {
			w.Fatal(err)
		}
		events = append(events, e)
	}
	shells := 0
	for _, tool := range of[*loop.AgentTool](events) {
		if tool.Shell {
			shells++
		}
	}
	if shells == 0 {
		w.Errorf("iteration %d shows no shell command in %d events", iteration, len(events))
	}
	text := ""
	for _, p := range of[*loop.AgentText](events) {
		text += p.Text + "\n"
	}
	if n := strings.Count(text, "Now a shell command."); n != 1 {
		w.Errorf("iteration %d has a text %d times, want once:\n%s", iteration, n, text)
	}
}

// attemptDir is where the first attempt of an iteration is kept.
func (w *world) attemptDir(iteration int) string {
	w.Helper()
	store, err := journal.OpenIn(filepath.Join(w.home, ".local", "state", "refrain"), w.tree)
	if err != nil {
		w.Fatal(err)
	}
	return store.AttemptDir("run-1", iteration, 1)
}

// transcript is the raw output of an iteration.
func (w *world) transcript(iteration int) string {
	w.Helper()
	raw, err := os.ReadFile(filepath.Join(w.attemptDir(iteration), "stdout"))
	if err != nil {
		w.Error(err)
	}
	return string(raw)
}

// checkShown looks at what a person gets to see of the run.
func (w *world) checkShown() {
	w.Helper()
	card := w.must("refrain")
	for _, want := range []string{"tokens", "$"} {
		if shown := strings.Contains(card, want); !shown && (want != "$" || w.recipe.cost != unknown) {
			w.Errorf("the card has no %q:\n%s", want, card)
		}
	}
	if logs := w.must("refrain", "logs", "run-1/1"); !strings.Contains(logs, "Now a shell command.") {
		w.Errorf("the rendered transcript lacks the agent's text:\n%s", logs)
	}
}

func TestAClaimEndsTheRun(t *testing.T) {
	each(t, all, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.run("-n", "3", "--until", "DONE").exits(0)
		w.checkDone(1)
	})
}

// checkDone checks that the run is done by its promise, after so many
// iterations.
func (w *world) checkDone(iterations int) {
	w.Helper()
	ends := of[*loop.RunFinished](w.journal())
	if len(ends) != 1 {
		w.Fatalf("the run has %d ends", len(ends))
	}
	if end := ends[0]; end.State != loop.Done || end.Reason != loop.ByPromise || end.Totals.Iterations != iterations {
		w.Errorf("%s by %s after %d iterations (%s), want done by promise after %d", end.State, end.Reason, end.Totals.Iterations, end.Why, iterations)
	}
}

// The CLIs try again by themselves: one bad answer is no failed attempt.
func TestAHiccupOfTheServerIsTheAgentsBusiness(t *testing.T) {
	each(t, all, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		script := w.script("tools")
		script.Index = "counter"
		script.Turns = append([]fakemodel.Turn{{Error: &fakemodel.Error{Kind: "server"}}}, script.Turns...)
		w.model.Play(t, script)
		w.run("-n", "3", "--until", "DONE").exits(0)
		w.checkDone(1)
		if list := w.outcomes(); len(list) != 1 {
			t.Errorf("%d attempts, want one: %+v", len(list), list)
		}
	})
}
