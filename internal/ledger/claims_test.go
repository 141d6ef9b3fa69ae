package ledger

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A claim that nobody refused was taken only if the run could go on or was done.
func TestWhatBecameOfClaims(t *testing.T) {
	done := &loop.Claim{Kind: loop.ClaimDone, Text: "DONE"}
	proof := &loop.Proof{Level: loop.LevelProven}
	for _, tt := range []struct {
		name    string
		outcome loop.Outcome
		verdict loop.Verdict
		taken   bool
		level   loop.Level
		why     string
	}{
		{"done", loop.Outcome{Claim: done, Proof: proof}, loop.Verdict{Action: loop.Stop, State: loop.Done}, true, loop.LevelProven, ""},
		{"to be said once more", loop.Outcome{Claim: done, Proof: proof}, loop.Verdict{Action: loop.Continue}, true, loop.LevelProven, ""},
		{"a person is needed", loop.Outcome{Claim: done, Person: "a link leads out"}, loop.Verdict{Action: loop.Stop, State: loop.Aborted, Why: "blocked"}, false, "", "nobody looked at it: a link leads out"},
		{"the run was stopped", loop.Outcome{Claim: done}, loop.Verdict{Action: loop.Stop, State: loop.Stopped, Why: "somebody asked"}, false, "", "nobody looked at it: somebody asked"},
		{"blocked", loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimBlocked, Text: "no key"}}, loop.Verdict{Action: loop.Stop, State: loop.Aborted}, true, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store, r := emptyRun(t, t.TempDir())
			add := adder(r)
			add(0, 0, &loop.RunStarted{Name: r.Meta().Name})
			add(1, 1, &loop.IterationStarted{Max: 1})
			add(1, 1, &loop.IterationFinished{Outcome: tt.outcome, Verdict: tt.verdict})
			if err := Open(store, r.Meta().Name).Read(func(b *Book) {
				a, c := b.Attempts[0], b.Claims[0]
				if c.Taken != tt.taken || c.Level != tt.level || c.Why != tt.why || a.Level != tt.level || a.Refused != tt.why {
					t.Errorf("claim %+v, attempt level %q, refused %q", c, a.Level, a.Refused)
				}
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A person who wants a run to go on that says it is done has not taken its claim.
func TestAPersonDeclinesAClaim(t *testing.T) {
	for answer, taken := range map[string]bool{"done": true, "continue": false} {
		store, r := emptyRun(t, t.TempDir())
		add := adder(r)
		add(0, 0, &loop.RunStarted{Name: r.Meta().Name})
		add(1, 1, &loop.IterationStarted{Max: 2})
		done := loop.Outcome{Claim: &loop.Claim{Kind: loop.ClaimDone, Text: "DONE"}, Proof: &loop.Proof{Level: loop.LevelKept}}
		add(1, 1, &loop.IterationFinished{Outcome: done, Verdict: loop.Verdict{Action: loop.Stop, State: loop.Done}})
		add(0, 0, &loop.RunAsked{Question: "it is done: end the run?", Choices: []string{"done", "continue"}})
		add(0, 0, &loop.RunAnswered{Answer: answer})
		if err := Open(store, r.Meta().Name).Read(func(b *Book) {
			if c := b.Claims[0]; c.Taken != taken || taken == (c.Why != "") || taken == (b.Attempts[0].Level == "") {
				t.Errorf("after %q: %+v, attempt %+v", answer, c, b.Attempts[0].Evidence)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}
