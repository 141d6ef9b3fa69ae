package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestPatience(t *testing.T) {
	retry := func(after time.Duration) loop.Payload { return &loop.AgentRetry{After: loop.Millis(after)} }
	type step struct {
		after time.Duration // the one before
		said  loop.Payload
	}
	for _, tt := range []struct {
		name  string
		most  time.Duration
		steps []step
		ended time.Duration // since the first step; 0: nobody ends it within an hour
	}{
		{"a wait that outlasts it", 2 * time.Minute, []step{{0, retry(5 * time.Minute)}}, time.Nanosecond},
		{"a wait that does not", 2 * time.Minute, []step{{0, retry(time.Minute)}, {time.Minute, &loop.AgentText{Text: "x"}}}, 0},
		{"many short ones", time.Minute, []step{{0, retry(time.Second)}, {20 * time.Second, retry(time.Second)}, {40 * time.Second, retry(time.Second)}}, time.Minute},
		{"an answer that takes its time after a wait", time.Minute, []step{{0, retry(time.Second)}, {5 * time.Minute, &loop.AgentText{Text: "x"}}}, 0},
		{"a wait of unknown length that turns out short", time.Minute, []step{{0, retry(0)}, {time.Second, retry(time.Second)}}, 0},
		{"short ones whose last would outlast it", time.Minute, []step{{0, retry(time.Second)}, {30 * time.Second, retry(40 * time.Second)}}, 30 * time.Second},
		{"a wait of unknown length", time.Minute, []step{{0, retry(0)}}, time.Minute},
		{"one that is longer than its own", time.Minute, []step{{0, &loop.AgentRetry{Within: loop.Millis(7 * time.Second)}}}, 7 * time.Second},
		{"its own wait, and the next try", time.Minute, []step{{0, &loop.AgentRetry{Within: loop.Millis(7 * time.Second)}}, {3 * time.Second, retry(time.Millisecond)}}, 0},
		{"a limit that is known to last", time.Minute, []step{{0, retry(0)}, {time.Second, &loop.AgentLimit{Limit: loop.Limit{Until: time.Now().AddDate(90, 0, 0)}}}}, time.Second},
		{"a limit that nobody waits for", time.Minute, []step{{0, &loop.AgentLimit{Limit: loop.Limit{Until: time.Now().AddDate(90, 0, 0)}}}}, 0},
		{"an answer between two rows", time.Minute, []step{{0, retry(0)}, {40 * time.Second, &loop.AgentTool{Name: "Bash"}}, {0, retry(0)}, {40 * time.Second, &loop.AgentText{Text: "x"}}}, 0},
		{"the result of an earlier tool is no answer", time.Minute, []step{{0, retry(0)}, {40 * time.Second, &loop.AgentToolResult{ID: "1"}}}, time.Minute},
		{"a report of no tokens is no answer", time.Minute, []step{{0, retry(0)}, {40 * time.Second, &loop.AgentUsage{Usage: loop.Usage{Turns: 2}}}}, time.Minute},
		{"none at all", 0, []step{{0, retry(time.Hour)}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				p := &patience{most: tt.most, clock: wall{}, end: cancel}
				began := time.Now()
				for _, s := range tt.steps {
					time.Sleep(s.after)
					p.Hear(s.said)
				}
				select {
				case <-ctx.Done():
				case <-time.After(time.Hour):
				}
				p.close()
				took := time.Since(began)
				switch {
				case tt.ended == 0 && ctx.Err() != nil:
					t.Errorf("it was ended after %s, want never", took)
				case tt.ended == 0:
				case !errors.Is(context.Cause(ctx), proc.End(loop.OnRetry)):
					t.Errorf("it was not ended (%v), want it after %s", context.Cause(ctx), tt.ended)
				case took.Truncate(time.Second) != tt.ended.Truncate(time.Second):
					t.Errorf("it was ended after %s, want %s", took, tt.ended)
				}
			})
		})
	}
}

// A try may be heard late, when the agent has long got its answer and a tool works.
func TestWhoHasAToolAtWorkIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		p := &patience{most: time.Minute, clock: wall{}, end: cancel, busy: func() bool { return true }}
		p.Hear(&loop.AgentRetry{})
		if time.Sleep(time.Hour); ctx.Err() != nil {
			t.Errorf("it was ended: %v", context.Cause(ctx))
		}
	})
}

// An agent that waits to try again is silent, and not idle.
func TestWhoWaitsIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &patience{clock: wall{}, end: func(error) {}}
		if p.waits() {
			t.Error("it waits before it has tried")
		}
		p.Hear(&loop.AgentRetry{After: loop.Millis(time.Hour)})
		if time.Sleep(59 * time.Minute); !p.waits() {
			t.Error("it does not wait before its next try")
		}
		if time.Sleep(2 * time.Minute); p.waits() {
			t.Error("it still waits after its next try")
		}
		p.Hear(&loop.AgentRetry{After: loop.Millis(time.Hour)})
		if p.Hear(&loop.AgentUsage{Usage: loop.Usage{Output: 1}}); p.waits() {
			t.Error("it waits after an answer")
		}
	})
}
