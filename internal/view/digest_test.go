package view

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestANightInShort(t *testing.T) {
	at := time.Date(2026, 11, 3, 22, 0, 0, 0, time.UTC)
	ended := func(o loop.Outcome) loop.Payload {
		o.Duration, o.EndedAt = loop.Millis(12*time.Minute), at
		return &loop.IterationFinished{Outcome: o}
	}
	proven := provenBy(passing("test", 3))
	kept := provenBy(passing("test", 3))
	kept.Claim.Proven, kept.Proof = false, &loop.Proof{Level: loop.LevelKept}
	nowhere := ok()
	nowhere.Progress = new(bool)
	refused := ok()
	refused.Claim = &loop.Claim{Kind: loop.ClaimDone, Why: "gate test failed (exit 1)"}
	for want, p := range map[string]loop.Payload{
		"another runner goes on from the journal":                                             &loop.RunResumed{},
		"before the first iteration: every gate passes":                                       &loop.RunBaseline{Gates: []loop.BaselineGate{{Gate: passing("test", 3)}}},
		"before the first iteration: gate test failed (exit 1), gate lint failed (exit 2)":    &loop.RunBaseline{Gates: []loop.BaselineGate{{Gate: failing("test", "exit 1")}, {Gate: failing("lint", "exit 2")}}},
		"waits 2h10m, until 00:10: usage limit (five_hour)":                                   &loop.RunWaiting{Why: "usage limit (five_hour)", For: loop.Millis(130 * time.Minute), Until: at.Add(130 * time.Minute)},
		"waits 26h, until 2026-11-05 00:00: so":                                               &loop.RunWaiting{Why: "so", For: loop.Millis(26 * time.Hour), Until: at.Add(26 * time.Hour)},
		"the next session is a fresh one: the context is full":                                &loop.RunRebootStarted{Why: "the context is full"},
		"the files are put back: it got worse":                                                &loop.CheckpointRestored{Why: "it got worse"},
		"iteration 3 nearly claims to be done: the tag is in a sentence":                      &loop.ClaimRefused{NearMiss: true, Why: "the tag is in a sentence"},
		"warning: cannot save stdout":                                                         &loop.Warning{Text: "cannot save stdout"},
		"the run ends: done, proven (promise found)":                                          &loop.RunFinished{State: loop.Done, Proven: true, Proof: &loop.Proof{Level: loop.LevelProven}, Why: "promise found"},
		"iteration 3 hung; ended after 15m of silence":                                        ended(loop.Outcome{Result: loop.Idle}),
		"iteration 3 took too long; ended after 12m":                                          ended(loop.Outcome{Result: loop.TimedOut}),
		"iteration 3 was turned away: usage limit; it does not count":                         ended(loop.Outcome{Result: loop.Limited}),
		"iteration 3 was turned away: usage limit (weekly); it does not count":                ended(loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "weekly"}}),
		"iteration 3 was turned away: usage limit (five_hour) until 00:22; it does not count": ended(loop.Outcome{Result: loop.Limited, Limit: &loop.Limit{Kind: "five_hour", Until: at.Add(142 * time.Minute)}}),
		"iteration 3 was turned away: the provider is unavailable; it does not count":         ended(loop.Outcome{Result: loop.Unavailable}),
		"iteration 3 was turned away: 529; it does not count":                                 ended(loop.Outcome{Result: loop.Unavailable, Error: &loop.AgentError{Message: "529"}}),
		"iteration 3 was lost with its runner; it does not count":                             ended(loop.Outcome{Result: loop.Lost}),
		"iteration 3 was skipped":                                                             ended(loop.Outcome{Result: loop.Skipped}),
		"iteration 3 was interrupted after 12m; it does not count":                            ended(loop.Outcome{Result: loop.Interrupted}),
		"iteration 3 failed after 12m: exit 1":                                                ended(exit1()),
		"iteration 3 claimed to be done after 12m; refused: gate test failed (exit 1)":        ended(refused),
		"iteration 3 claimed to be done after 12m; the gates agree":                           ended(proven),
		"iteration 3 claimed to be done after 12m; nothing broke":                             ended(kept),
		"iteration 3 claimed to be blocked after 12m":                                         ended(loop.Outcome{Result: loop.OK, Claim: &loop.Claim{Kind: loop.ClaimBlocked}}),
		"iteration 3 worked for 12m; gate test failed (exit 1)":                               ended(failedBy(known("lint", "exit 2"), failing("test", "exit 1"))),
		"iteration 3 worked for 12m and got nowhere":                                          ended(nowhere),
		"iteration 3 worked for 12m":                                                          ended(ok()),
	} {
		if got := (Digest{Zone: time.UTC, Idle: 15 * time.Minute}).Line(loop.Event{Time: at, Iter: 3, Payload: p}); got != want {
			t.Errorf("%T: %q, want %q", p, got, want)
		}
	}
	for _, p := range []loop.Payload{&loop.RunWaiting{For: loop.Millis(time.Second)}, &loop.ClaimRefused{}, &loop.AgentText{}} {
		if got := (Digest{}).Line(loop.Event{Time: at, Payload: p}); got != "" {
			t.Errorf("%T: %q, want nothing", p, got)
		}
	}
}
