//go:build unix

package desk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// paid is a run with an agent that says what it has cost. A limit that one meets is known
// to all runs with an agent of that name.
func (w *world) paid(agent string) fleet.Spec {
	s := w.spec("agents."+agent+".command=sh agent.sh", "agents."+agent+".format=claude", "agent="+agent)
	s.Request = []byte(strings.Replace(string(s.Request), `"command":["sh","agent.sh"]`, `"prompt":"go on"`, 1))
	return s
}

// bill is an agent whose iterations cost a dollar and ten tokens each.
func bill(beside ...string) string {
	return agent(append(beside, `done=working; [ "$(wc -l <work)" -lt 3 ] || done="<promise>DONE</promise>"`,
		`echo '{"type":"system","subtype":"init","session_id":"s"}'`,
		`echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"'"$done"'","total_cost_usd":1,"usage":{"input_tokens":4,"output_tokens":6}}'`,
		"exit 0")...)
}

// account hears what runs have cost.
type account struct {
	usd    float64
	tokens int64
}

func (a *account) hooks() fleet.Hooks {
	return fleet.Hooks{Spent: func(usd float64, tokens int64) bool {
		a.usd, a.tokens = a.usd+usd, a.tokens+tokens
		return false
	}}
}

// has sees that it was told of so many iterations.
func (a *account) has(t *testing.T, when string, iterations int) {
	t.Helper()
	if a.usd != float64(iterations) || a.tokens != 10*int64(iterations) {
		t.Errorf("%s the account has heard of %v dollars and %d tokens, want %d iterations", when, a.usd, a.tokens, iterations)
	}
}

// What was kept was paid for, and the account hears of it once.
func TestWhatTheAccountHears(t *testing.T) {
	t.Parallel()
	run := func(w *world, d *Desk, s fleet.Spec, leg int, a *account) fleet.Standing {
		out, err := d.Run(w.t.Context(), fleet.Turn{Spec: s, Leg: leg}, a.hooks())
		if err != nil {
			w.t.Fatal(err)
		}
		return out
	}
	t.Run("leg by leg", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, bill())
		s := w.paid("paid")
		var a account
		desks := []*Desk{w.desk("a"), w.desk("b")}
		for leg := 1; leg <= 3; leg++ {
			out := run(w, desks[leg%2], s, leg, &a)
			a.has(t, fmt.Sprintf("after leg %d", leg), leg)
			if out.CostUSD != float64(leg) || out.Tokens != 10*int64(leg) {
				t.Errorf("%+v", out)
			}
		}
	})
	t.Run("where the branch was not taken", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, bill())
		w.hook("update", "case $1 in refs/heads/*) echo 'protected branch' >&2; exit 1 ;; esac\n")
		s := w.paid("paid")
		var a account
		if out := run(w, w.desk("a"), s, 1, &a); !out.Stuck {
			t.Errorf("%+v", out)
		}
		a.has(t, "after the first leg", 1)
		w.hook("update", "exit 0\n")
		run(w, w.desk("b"), s, 2, &a)
		a.has(t, "after the second leg", 2)
	})
	t.Run("where its worker died before it could say so", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, bill())
		w.hook("post-receive", killer)
		w.write("armed", "finished")
		s := w.paid("paid")
		s.Quantum.Iterations = 0
		if out, killed := w.child("a", s, 1).wait(); !killed {
			t.Fatalf("it was not killed: %+v", out)
		}
		var a account // it does not hear what the other process says, of the first iteration
		run(w, w.desk("b"), s, 2, &a)
		a.has(t, "at the end", 2)
	})
}
