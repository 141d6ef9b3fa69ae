package realtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fakemodel"
	"github.com/refrain-loop/refrain/internal/loop"
)

// resetsIn is how long the usage limit of the tests lasts, in seconds.
const resetsIn = 20

// newLimitedWorld is a world whose model turns everybody away until a usage
// limit is over.
func newLimitedWorld(t *testing.T, r recipe) *world {
	t.Helper()
	if r.name == "claude" { // only a subscription has such limits
		r.env = slices.Clone(r.env)
		r.env[slices.Index(r.env, "ANTHROPIC_API_KEY=sk-test")] = "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-test"
	}
	w := newWorld(t, r)
	script := w.script("tools")
	script.Index = "counter"
	script.Turns = append([]fakemodel.Turn{{Error: &fakemodel.Error{Kind: "usage_limit", ResetsInS: resetsIn}}}, script.Turns...)
	w.model.Play(t, script)
	return w
}

// turnedAway is how many attempts meet the limit, at least and at most. The CLIs
// that are not here know no such limit: for them it is a 429, and they try again
// by themselves until it is over.
var turnedAway = map[string]struct{ least, most int }{
	"claude": {1, 1},
	"codex":  {1, 2}, // it tells the minute of the reset without the seconds, so the first wait can be too short
}

func TestAUsageLimitIsWaitedOut(t *testing.T) {
	each(t, all, func(t *testing.T, r recipe) {
		t.Parallel() // they do little but wait
		w := newLimitedWorld(t, r)
		w.run("-n", "1", "--until", "DONE").exits(0)

		w.checkDone(1) // though -n 1 leaves no iteration to spare
		if got := w.read("hello.txt"); strings.TrimSpace(got) != "hello refrain" {
			t.Errorf("the agent wrote %q", got)
		}
		w.checkTurnedAway()
		w.checkWaits()
	})
}

// checkTurnedAway checks that the attempts before the last one met the limit
// and count for nothing.
func (w *world) checkTurnedAway() {
	w.Helper()
	list, want := of[*loop.IterationFinished](w.journal()), turnedAway[w.recipe.name]
	away := len(list) - 1
	if away < want.least || away > want.most {
		w.Fatalf("%d attempts were turned away, want %d to %d: %+v", away, want.least, want.most, w.outcomes())
	}
	for i, f := range list[:away] {
		o := f.Outcome
		if o.Result != loop.Limited || o.Error == nil || o.Error.Kind != loop.ErrUsageLimit || o.Limit == nil || o.Limit.Until.IsZero() {
			w.Errorf("attempt %d is %s with error %+v and limit %+v, want limited until some time", i+1, o.Result, o.Error, o.Limit)
		}
		if f.State.Totals.Iterations != 0 || f.State.Totals.Failed != 0 || f.State.Streaks != (loop.Streaks{}) {
			w.Errorf("attempt %d was counted: totals %+v, streaks %+v", i+1, f.State.Totals, f.State.Streaks)
		}
	}
	if last := list[away]; last.Outcome.Result != loop.OK || last.State.Totals.Failed != 0 || last.State.Streaks.Failures != 0 {
		w.Errorf("the last attempt is %s with totals %+v and streaks %+v, want ok and no failure", last.Outcome.Result, last.State.Totals, last.State.Streaks)
	}
}

// checkWaits checks that after each limited attempt the run waited for the
// limit's end, and then tried the same iteration again.
func (w *world) checkWaits() {
	w.Helper()
	var limit *loop.Limit // of the attempt before
	attempts, waits := 0, 0
	for _, e := range w.journal() {
		switch p := e.Payload.(type) {
		case *loop.AgentStarted:
			if attempts++; e.Iter != 1 || e.Attempt != attempts {
				w.Errorf("attempt %d of iteration %d, want attempt %d of iteration 1", e.Attempt, e.Iter, attempts)
			}
			if limit != nil && e.Time.Before(limit.Until) {
				w.Errorf("attempt %d began at %v, before the limit's end at %v", attempts, e.Time, limit.Until)
			}
		case *loop.IterationFinished:
			limit = p.Outcome.Limit
		case *loop.RunWaiting:
			if waits++; p.Rule != "limit" || limit == nil || p.Until.Before(limit.Until) {
				w.Errorf("after attempt %d it waits by the rule %q until %v, want limit and the end of %+v", attempts, p.Rule, p.Until, limit)
			}
		}
	}
	if waits != attempts-1 {
		w.Errorf("%d waits between %d attempts", waits, attempts)
	}
}
