package view

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

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
