package view

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAWaitSaysWhatForAndNotUntilWhen(t *testing.T) {
	for why, want := range map[string]string{
		"pause between iterations":                                                "pause between iterations",
		"usage limit (five_hour) until 2026-11-04 01:06:11 UTC":                   "usage limit (five_hour)",
		"usage limit (five_hour) until 2026-11-04 01:06:11 UTC, noted by build-6": "usage limit (five_hour), noted by build-6",
		"the agent said:\n\x1b[31mwait until tomorrow":                            "the agent said: wait until tomorrow",
	} {
		if got := WaitsFor(&loop.RunWaiting{Why: why}); got != want {
			t.Errorf("WaitsFor(%q) = %q, want %q", why, got, want)
		}
	}
}

func TestWhatKeepsAnAgent(t *testing.T) {
	now := time.Date(2026, 11, 3, 22, 0, 0, 0, time.Local)
	limit := &loop.Limit{Kind: "five_hour", Until: now.Add(3 * time.Hour)}
	tests := []struct {
		away loop.Away
		want string
	}{
		{loop.Away{Kind: loop.ErrUsageLimit, Limit: limit, At: now}, "usage limit (five_hour) until 01:00"},
		{loop.Away{Kind: loop.ErrRateLimit, Limit: &loop.Limit{Kind: "weekly"}, At: now}, "usage limit (weekly)"},
		{loop.Away{Kind: loop.ErrUsageLimit, At: now}, "usage limit"},
		{loop.Away{Kind: loop.ErrOverloaded, At: now}, "the provider is unavailable (overloaded)"},
		{loop.Away{Kind: loop.ErrAuth, At: now}, "not signed in"},
		{loop.Away{Kind: loop.ErrBilling, At: now}, "no credit left"},
		{loop.Away{Kind: "from_the_future", At: now}, "from the future"},
	}
	for _, tt := range tests {
		if got := TurnedAway(tt.away, now); got != tt.want {
			t.Errorf("TurnedAway(%+v) = %q, want %q", tt.away, got, tt.want)
		}
	}
}
