package rehearsal

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	agentError := func(kind loop.ErrorKind, message string) *loop.AgentResult {
		return &loop.AgentResult{Text: "said", Error: &loop.AgentError{Kind: kind, Message: message}}
	}
	tests := []struct {
		name, step string
		code       int
		want       *loop.AgentResult
	}{
		{"exit 0 ends well", `{ exit = 0 }`, 0, &loop.AgentResult{OK: true, Text: "said"}},
		{"any other exit is a failure", `{ exit = 3 }`, 3, agentError(loop.ErrAgent, "exit 3")},
		{"an error has its kind", `{ error = "overloaded", message = "try {attempt} later" }`, 1, agentError(loop.ErrOverloaded, "try 1 later")},
		{"an error without a message", `{ error = "network" }`, 1, agentError(loop.ErrNetwork, "")},
		{"a limit without a reset", `{ limit = "weekly" }`, 1, agentError(loop.ErrUsageLimit, "usage limit reached: weekly")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := newStage(t).steps(t, `{ text = "said" }, `+tt.step+`, { text = "never said" }`)
			if got.code != tt.code {
				t.Errorf("exit %d, want %d", got.code, tt.code)
			}
			if diff := cmp.Diff(tt.want, got.result(t)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if len(got.texts()) != 1 {
				t.Errorf("said %q, want nothing after the end", got.texts())
			}
		})
	}
}

func TestALimitNamesItsReset(t *testing.T) {
	t.Parallel()
	before := time.Now()
	got := newStage(t).steps(t, `{ limit = "five_hour", resets_in = "2h" }`)
	limit, ok := got.events[0].(*loop.AgentLimit)
	if !ok || limit.Limit.Kind != "five_hour" {
		t.Fatalf("first event %+v, want the limit", got.events[0])
	}
	if until := limit.Limit.Until; until.Before(before.Add(2*time.Hour-time.Second)) || until.After(time.Now().Add(2*time.Hour)) {
		t.Errorf("resets at %v, want 2h from %v", until, before)
	}
}

func TestACrashPrintsNoResult(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ text = "before" }, { crash = true }, { text = "after" }`)
	if got.code != -1 || len(got.events) != 1 {
		t.Errorf("exit %d after %d events, want a signal after 1; stdout:\n%s", got.code, len(got.events), got.stdout)
	}
}
