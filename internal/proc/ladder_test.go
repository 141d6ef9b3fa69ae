package proc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// waiting is a child of which only the waiting is real.
func waiting() *child {
	now := time.Now()
	return &child{process: &direct{gone: make(chan struct{})}, at: now, output: lastOutput{last: now}}
}

func TestALimitIsReached(t *testing.T) {
	tests := []struct {
		name          string
		timeout, idle time.Duration
		act           func(c *child, cancel context.CancelCauseFunc)
		want          loop.Cause
		after         time.Duration
	}{
		{"the deadline", time.Hour, 0, nil, loop.AtDeadline, time.Hour},
		{"the idle limit", time.Hour, time.Minute, nil, loop.WhenIdle, time.Minute},
		{"the idle limit counts from the last byte", time.Hour, time.Minute, func(c *child, _ context.CancelCauseFunc) {
			time.Sleep(50 * time.Second)
			c.output.heard(+1)
			c.output.heard(-1)
		}, loop.WhenIdle, 110 * time.Second},
		{"a busy sink is not silence", time.Hour, time.Minute, func(c *child, _ context.CancelCauseFunc) {
			c.output.heard(+1)
		}, loop.AtDeadline, time.Hour},
		{"the end of the process", time.Hour, time.Minute, func(c *child, _ context.CancelCauseFunc) {
			time.Sleep(time.Second)
			close(c.process.(*direct).gone)
		}, loop.Exited, time.Second},
		{"a cancellation with its cause", time.Hour, time.Minute, func(_ *child, cancel context.CancelCauseFunc) {
			cancel(End(loop.OnBudget))
		}, loop.OnBudget, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				c, start := waiting(), time.Now()
				if tt.act != nil {
					go tt.act(c, cancel)
				}
				got := c.await(ctx, tt.timeout, tt.idle)
				if after := time.Since(start); got != tt.want || after != tt.after {
					t.Errorf("await = %s after %v, want %s after %v", got, after, tt.want, tt.after)
				}
			})
		})
	}
}

func TestABusyProcessIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, start := waiting(), time.Now()
		c.busy = func() bool { return time.Since(start) <= 10*time.Minute }
		got := c.await(t.Context(), time.Hour, time.Minute)
		if after := time.Since(start); got != loop.WhenIdle || after < 10*time.Minute || after > 11*time.Minute {
			t.Errorf("await = %s after %v, want idle a minute after its work ended", got, after)
		}
	})
}

func TestTheCauseOfACancellationIsTold(t *testing.T) {
	tests := []struct {
		name  string
		cause error
		want  loop.Cause
	}{
		{"no cause", nil, loop.OnRequest},
		{"another error", errors.New("whatever"), loop.OnRequest},
		{"skip", End(loop.OnSkip), loop.OnSkip},
		{"a wrapped cause", fmt.Errorf("the run: %w", End(loop.OnMaxTime)), loop.OnMaxTime},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := helperSpec(t, "hang")
			s.Started = func(int, time.Time) { cancel(tt.cause) }
			if exit, _, _ := run(t, ctx, s); exit.Cause != tt.want {
				t.Errorf("cause = %s, want %s", exit.Cause, tt.want)
			}
		})
	}
}

func TestACancelledContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(End(loop.OnBudget))
	s := helperSpec(t, "exit", "0")
	s.Started = func(int, time.Time) { t.Error("it was started") }
	exit, _, _ := run(t, ctx, s)
	if diff := cmp.Diff(loop.Exit{Cause: loop.OnBudget}, exit); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnknownFirstSignalIsAnError(t *testing.T) {
	s := helperSpec(t, "exit", "0")
	s.First = "KILL"
	if _, err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "KILL") {
		t.Errorf("Run = %v, want an error that names the signal", err)
	}
}

func TestADeadlineEndsTheProcess(t *testing.T) {
	for want, s := range map[loop.Cause]Spec{
		loop.AtDeadline: {Timeout: 20 * time.Millisecond},
		loop.WhenIdle:   {Idle: 20 * time.Millisecond},
	} {
		s.Argv = helperSpec(t, "hang").Argv
		exit, _, _ := run(t, t.Context(), s)
		if exit.Cause != want || exit.Zero() {
			t.Errorf("exit = %+v, want cause %s", exit, want)
		}
	}
}
