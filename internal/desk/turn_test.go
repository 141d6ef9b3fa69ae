package desk

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// When others have a turn, whatever else is said of a leg.
func TestTurn(t *testing.T) {
	t.Parallel()
	goOn := loop.Verdict{Action: loop.Continue}
	wait := func(d time.Duration) loop.Verdict {
		return loop.Verdict{Action: loop.Wait, Until: time.Now().Add(d), Why: "a wait"}
	}
	turn := func(q fleet.Quantum, attempts int, next loop.Verdict, paused time.Duration) string {
		l := newLeg(&Desk{}, fleet.Turn{Spec: fleet.Spec{Quantum: q}}, fleet.Hooks{})
		l.began, l.seen.attempts = time.Now(), attempts
		if paused > 0 {
			relay{l}.turn(next, true)
			time.Sleep(paused)
		}
		return relay{l}.turn(next, paused > 0)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			name     string
			quantum  fleet.Quantum
			attempts int
			next     loop.Verdict
			paused   time.Duration
			want     string
		}{
			{"the usual patience lasts for a minute", fleet.Quantum{}, 0, wait(time.Minute), 0, ""},
			{"and not for three", fleet.Quantum{}, 0, wait(3 * time.Minute), 0, "a wait"},
			{"without any, a moment is too long", fleet.Quantum{Patience: -1}, 0, wait(time.Millisecond), 0, "a wait"},
			{"but not one that is over", fleet.Quantum{Patience: -time.Hour}, 0, wait(-time.Minute), 0, ""},
			{"nor nothing to wait for", fleet.Quantum{Patience: -1}, 0, goOn, 0, ""},
			{"a person is waited for with patience", fleet.Quantum{}, 0, goOn, time.Minute, ""},
			{"and not without", fleet.Quantum{Patience: -1}, 0, goOn, 2 * time.Millisecond, "it waits for a person"},
			{"a thousand quick attempts", fleet.Quantum{}, 1000, goOn, 0, "others have a turn"},
			{"or one less", fleet.Quantum{}, 999, goOn, 0, ""},
		} {
			if got := turn(tt.quantum, tt.attempts, tt.next, tt.paused); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
		time.Sleep(time.Hour) // the clocks that wake a leg run out
	})
}
