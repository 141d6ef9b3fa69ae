package cli

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheCollectorIsSlowedForAFloodAlone(t *testing.T) {
	percent, changes := calmPercent, 0
	c := &collector{tune: func(p int, _ int64) { percent, changes = p, changes+1 }}
	at := time.Unix(1_800_000_000, 0)
	say := func(n int, every time.Duration) {
		for range n {
			at = at.Add(every)
			c.Observe(loop.Event{Time: at, Payload: &loop.AgentText{}})
		}
	}
	expect := func(when string, want, times int) {
		t.Helper()
		if percent != want || changes != times {
			t.Fatalf("%s: %d %% after %d changes, want %d after %d", when, percent, changes, want, times)
		}
	}
	say(1000, 10*time.Millisecond)
	expect("100 events a second", calmPercent, 0)
	for range 1000 {
		c.Observe(loop.Event{Time: at, Payload: &loop.GateStarted{}})
	}
	expect("many events of the runner's own", calmPercent, 0)
	say(5000, time.Millisecond)
	expect("1000 events a second", floodPercent, 1)
	say(500, 10*time.Millisecond)
	expect("a flood that is over", calmPercent, 2)
	say(1000, time.Millisecond)
	c.Observe(loop.Event{Time: at, Payload: &loop.AgentExited{}})
	expect("the agent is gone", calmPercent, 4)
}
