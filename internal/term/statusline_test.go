package term

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAWaitIsCountedDownOnEveryScreen(t *testing.T) {
	now := time.Date(2026, 11, 3, 22, 0, 0, 0, time.Local)
	limit := &loop.RunWaiting{Rule: "limit", Why: "usage limit (five_hour)", Until: now.Add(12*time.Minute + 3*second)}
	outage := &loop.RunWaiting{Rule: "provider", Why: "the provider is unavailable (overloaded)", Until: now.Add(30 * second)}
	tests := []struct {
		wait  *loop.RunWaiting
		width int
		want  string
	}{
		{limit, 120, "waiting 12m03s for usage limit (five_hour), until 22:12 · Ctrl+C stops · refrain resume cuts it short"},
		{limit, 80, "waiting 12m03s for usage limit (five_hour), until 22:12 · Ctrl+C stops"},
		{limit, 60, "waiting 12m03s for usage limit (five_hour), until 22:12"},
		{limit, 40, "waiting 12m03s, until 22:12"},
		{limit, 20, "waiting 12m03s, un…"},
		{outage, 90, "waiting 30s: the provider is unavailable (overloaded), until 22:00 · Ctrl+C stops"},
	}
	for _, tt := range tests {
		if got := waitLine(tt.wait, now, tt.width-1); got != tt.want {
			t.Errorf("%d columns: %q, want %q", tt.width, got, tt.want)
		}
	}
}
