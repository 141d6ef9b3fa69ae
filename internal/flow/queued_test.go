package flow

import (
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// A run that waits for a worker says what holds it back, where its account knows.
func TestWhyARunWaitsForAWorker(t *testing.T) {
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	there := func(busy int) map[string]fleet.Portion {
		return map[string]fleet.Portion{"w": {Slots: 2, Busy: busy, Ends: now.Add(time.Minute)}}
	}
	for _, tt := range []struct {
		account fleet.Account
		why     string
	}{
		{fleet.Account{}, "no worker of the queue q"},
		{fleet.Account{Portions: map[string]fleet.Portion{"w": {Slots: 2, Ends: now}}}, "no worker of the queue q"},
		{fleet.Account{CostUSD: 1, SpentUSD: 1, Portions: there(0)}, spentAll},
		{fleet.Account{Until: now.Add(time.Hour), Portions: there(0)}, "a limit"},
		{fleet.Account{Slots: 1, Portions: there(1)}, "as many agents are at work as its account allows: 1 agent"},
		{fleet.Account{Portions: there(2)}, "all workers"},
		{fleet.Account{Portions: there(1)}, "others have a turn"}, // somebody is about to come
	} {
		row := held(fleet.Row{Queue: "q", State: fleet.Queued, Why: "others have a turn"}, tt.account, now)
		if !strings.HasPrefix(row.Why, tt.why) || !row.WaitUntil.Equal(tt.account.Until) {
			t.Errorf("with %+v it waits for %q until %s, want %q", tt.account, row.Why, row.WaitUntil, tt.why)
		}
	}
}
