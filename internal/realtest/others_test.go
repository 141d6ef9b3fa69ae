package realtest

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
)

// The CLIs that do not tell all do their work all the same, and their claim is
// heard.
func TestTheOthersDoTheirWork(t *testing.T) {
	eachOf(t, others, all, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.run("-n", "3", "--until", "DONE").exits(0)
		w.checkDone(1)
		if got := w.read("hello.txt"); strings.TrimSpace(got) != "hello refrain" {
			t.Errorf("the agent wrote %q", got)
		}
		list := w.outcomes()
		if len(list) != 1 {
			t.Fatalf("%d attempts, want one: %+v", len(list), list)
		}
		o := list[0]
		if o.Result != loop.OK || o.Error != nil || len(o.Denied) > 0 || o.Agent != r.name || o.Session == "" {
			t.Errorf("it came to %+v, want ok, with a session and nothing denied", o)
		}
		if told := agent.TraitsOf(r.name).Tokens; told && o.Usage.Tokens() != toolsTokens {
			t.Errorf("%d tokens, want %d: %+v", o.Usage.Tokens(), toolsTokens, o.Usage)
		}
		w.checkTranscript(1)
	})
}

// A kept session goes on where the last iteration ended.
func TestTheOthersKeepASession(t *testing.T) {
	keeps := func(r recipe) bool { return agent.TraitsOf(r.name).Sessions }
	eachOf(t, others, keeps, func(t *testing.T, r recipe) {
		w := newWorld(t, r)
		w.model.Play(t, w.script("text"))
		w.run("-n", "2", "--session", "keep").exits(0)
		list := w.outcomes()
		if len(list) != 2 || list[0].Session == "" || list[0].Session != list[1].Session {
			t.Errorf("the iterations came to %+v, want one session for both", list)
		}
	})
}
