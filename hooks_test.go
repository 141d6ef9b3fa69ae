//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain"
)

var notAtOnce = map[string]string{"loop.exit_zero_is_done": "false", "loop.backoff": "0s"}

func TestHooksInGoAreAskedAtTheirPoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var calls []string
	r := run(t, refrain.Options{
		Dir: dir, Command: script("echo $REFRAIN_ITERATION >> ran; exit 3"), MaxIterations: 4, Settings: notAtOnce,
		Hooks: refrain.Hooks{
			Before: func(_ context.Context, m refrain.Moment) refrain.Answer {
				calls = append(calls, fmt.Sprintf("before %d/%d", m.Iteration, m.Attempt))
				if (m.Outcome == nil) != (m.Iteration == 1) || m.State.Limits.Iterations != 4 || m.State.Next() != m.Iteration || m.Run != "run-1" || m.ID == "" {
					t.Errorf("moment = %+v", m)
				}
				if m.Iteration == 2 {
					return refrain.Answer{Decision: refrain.SkipIteration, Why: "a bad number"}
				}
				return refrain.Answer{}
			},
			After: func(_ context.Context, m refrain.Moment) refrain.Answer {
				calls = append(calls, fmt.Sprintf("after %d %s", m.Iteration, m.Outcome.Result))
				if m.Iteration == 3 {
					return refrain.Answer{Decision: refrain.EndRun, Why: "three is enough"}
				}
				return refrain.Answer{}
			},
			Finished: func(_ context.Context, r refrain.Result) {
				calls = append(calls, fmt.Sprintf("finished %s %s %s", r.Run, r.State, r.Reason))
				if _, err := os.Stat(r.Dir); err != nil {
					t.Error(err)
				}
			},
		},
	})
	if r.State != refrain.Aborted || r.Reason != refrain.ByHook || r.Why != "the program's own post_iteration hook says so: three is enough" || r.Totals.Skipped != 1 {
		t.Errorf("result = %+v, want it ended by the hook", r)
	}
	want := []string{"before 1/1", "after 1 failed", "before 2/1", "before 3/1", "after 3 failed", "finished run-1 aborted hook"}
	if !slices.Equal(calls, want) {
		t.Errorf("calls = %q, want %q", calls, want)
	}
	if ran, err := os.ReadFile(filepath.Join(dir, "ran")); err != nil || string(ran) != "1\n3\n" {
		t.Errorf("iterations %q ran, %v; want the second left out", ran, err)
	}
}

func TestACommandAtTheSamePointComesFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := 0
	r := run(t, refrain.Options{
		Dir: dir, Command: script("true"), MaxIterations: 2,
		Settings: map[string]string{"loop.exit_zero_is_done": "false", "loop.backoff": "0s", "hooks.run.next_iteration": "test $REFRAIN_ITERATION = 2"},
		Hooks: refrain.Hooks{Before: func(context.Context, refrain.Moment) refrain.Answer {
			asked++
			return refrain.Answer{}
		}},
	})
	if asked != 1 || r.Totals.Skipped != 1 {
		t.Errorf("asked %d times, result %+v; want the first iteration skipped by the command, without a question", asked, r)
	}
}

func TestMetadataOfAnIterationIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var warned string
	r := run(t, refrain.Options{
		Dir: dir, Command: script("true"), MaxIterations: 2, Settings: notAtOnce,
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if w, ok := e.Payload.(*refrain.Warning); ok && strings.Contains(w.Text, "metadata") {
				warned = w.Text
			}
		})},
		Hooks: refrain.Hooks{
			Before: func(_ context.Context, m refrain.Moment) refrain.Answer {
				return refrain.Answer{Metadata: map[string]string{"ticket": fmt.Sprint("T-", m.Iteration), "stage": "begun"}}
			},
			After: func(context.Context, refrain.Moment) refrain.Answer {
				return refrain.Answer{Metadata: map[string]string{"stage": "ended", "long": strings.Repeat("x", 5000)}}
			},
		},
	})
	record, err := refrain.Open(dir, r.Run)
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range record.Iterations() {
		if said := i.Outcome.Metadata; err != nil || said["ticket"] != fmt.Sprint("T-", i.Number) || said["stage"] != "ended" || len(said) != 2 {
			t.Errorf("metadata of iteration %d = %v, %v", i.Number, said, err)
		}
	}
	if !strings.Contains(warned, "long") {
		t.Errorf("warning = %q, want that one value is left out", warned)
	}
}

// A runner that died between a hook and the end of the attempt has lost nothing of
// what the hook said, and does not ask it again.
func TestMetadataOutlivesItsRunner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := 0
	hooks := refrain.Hooks{Before: func(context.Context, refrain.Moment) refrain.Answer {
		asked++
		return refrain.Answer{Metadata: map[string]string{"asked": fmt.Sprint(asked)}}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := refrain.GateFunc("slow", func(ctx context.Context, _ refrain.Place) refrain.Finding {
		if asked == 1 && ctx.Err() == nil {
			cancel() // in the middle of an attempt whose agent is gone
			<-ctx.Done()
		}
		return refrain.Finding{OK: true}
	})
	r, err := refrain.Run(ctx, refrain.Options{Dir: dir, Command: script(claims), Until: "DONE", Hooks: hooks, CustomGates: []refrain.Gate{slow}})
	if err != nil || r.State != refrain.Stopped {
		t.Fatalf("Run = %+v, %v", r, err)
	}
	asked = 7
	var usage *refrain.UsageError
	if _, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, CustomGates: []refrain.Gate{slow}}); !errors.As(err, &usage) || !strings.Contains(usage.What, "hook next_iteration") {
		t.Errorf("Resume without the hook = %v, want a *UsageError that names it", err)
	}
	if r, err = refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, Hooks: hooks, CustomGates: []refrain.Gate{slow}}); err != nil || r.State != refrain.Done {
		t.Fatalf("Resume = %+v, %v", r, err)
	}
	record, err := refrain.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if i, err := record.Iteration(1); err != nil || i.Outcome.Metadata["asked"] != "1" || asked != 7 {
		t.Errorf("iteration = %+v, %v, asked %d; want what the first runner was told", i.Outcome.Metadata, err, asked)
	}
}

func TestACompletionCheckOfOnesOwnIsAClaimThatGatesJudge(t *testing.T) {
	t.Parallel()
	finished := refrain.CompletionFunc(func(said string, o refrain.Outcome) (string, bool) {
		last := said[strings.LastIndex(said, "\n")+1:]
		return last, o.Result == refrain.OK && last == "That is all, folks"
	})
	speak := script("echo Hello; echo 'That is all, folks'")
	tests := []struct {
		name   string
		o      refrain.Options
		state  refrain.Status
		reason refrain.Reason
		level  refrain.Level
		why    string
	}{
		{"alone it is a claim", refrain.Options{Command: speak}, refrain.Done, refrain.ByCheck, refrain.LevelClaimed, `the program's own check found "That is all, folks" (claimed, unproven: no gates are set)`},
		{"gates agree", refrain.Options{Command: script("echo > done; echo 'That is all, folks'"), Gates: []string{"test -e done"}}, refrain.Done, refrain.ByCheck, refrain.LevelProven, `the program's own check found "That is all, folks", and the gates agree`},
		{"gates refuse", refrain.Options{Command: speak, Gates: []string{"false"}, MaxIterations: 2}, refrain.Exhausted, refrain.ByIterations, "", ""},
		{"it finds nothing", refrain.Options{Command: script("echo not yet"), MaxIterations: 2}, refrain.Exhausted, refrain.ByIterations, "", ""},
		{"an attempt that failed claims nothing", refrain.Options{Command: script("echo 'That is all, folks'; exit 1"), Settings: map[string]string{"stop.failures": "1"}}, refrain.Aborted, refrain.ByFailures, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Dir, tt.o.Completion = t.TempDir(), finished
			r := run(t, tt.o)
			if r.State != tt.state || r.Reason != tt.reason || r.Level != tt.level || tt.why != "" && r.Why != tt.why {
				t.Errorf("result = %+v, want %s by %s, level %q: %s", r, tt.state, tt.reason, tt.level, tt.why)
			}
		})
	}
}

// knowing is an agent that can tell from its own words that it is done.
type knowing struct{ *speaker }

func (knowing) Claims(said string, _ refrain.Outcome) (string, bool) { return said, said == "finis" }

func TestAnAgentMayBeACompletionCheckToo(t *testing.T) {
	t.Parallel()
	s := &speaker{lines: []string{"finis"}}
	r := run(t, refrain.Options{Dir: t.TempDir(), CustomAgent: knowing{s}, Prompt: "Speak", MaxIterations: 5, Settings: map[string]string{"loop.max_time": "1h"}})
	if r.State != refrain.Done || r.Reason != refrain.ByCheck {
		t.Errorf("result = %+v, want it done by its own words", r)
	}
	calls := slices.DeleteFunc(s.calls, func(c refrain.Call) bool { return c.Iteration == 0 }) // it was asked to show its command
	if c := calls[0]; c.Iteration != 1 || c.Attempt != 1 || c.Limits.Iterations != 5 || c.Limits.Time.String() != "1h0m0s" {
		t.Errorf("call = %+v, want iteration, attempt and limits in it", c)
	}
}

func TestARuleThatSaysDoneIsBelievedWhenTheGatesAgree(t *testing.T) {
	t.Parallel()
	third := refrain.RuleFunc("third", func(f refrain.Facts) refrain.Verdict {
		if f.Outcome == nil || f.State.Totals.Iterations < 3 {
			return refrain.Verdict{}
		}
		return refrain.Verdict{Action: refrain.Stop, State: refrain.Done, Why: "the third time is the charm"}
	})
	tests := []struct {
		name  string
		gates []string
		state refrain.Status
		level refrain.Level
		n     int
		why   string
	}{
		{"and proven", []string{"test -s work"}, refrain.Done, refrain.LevelProven, 3, "the third time is the charm, and the gates agree"},
		{"and nothing broke", []string{"true"}, refrain.Done, refrain.LevelKept, 3, "the third time is the charm, and the gates agree"},
		{"without gates it is a claim", nil, refrain.Done, refrain.LevelClaimed, 3, "the third time is the charm (claimed, unproven: no gates are set)"},
		{"and not before", []string{"test $(wc -l < work) -ge 5"}, refrain.Done, refrain.LevelProven, 5, "the third time is the charm, and the gates agree"},
		{"and not without them", []string{"false"}, refrain.Exhausted, "", 6, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, refrain.Options{
				Dir: gitTree(t), Command: script("echo x >> work"), Rules: []refrain.Rule{third}, Gates: tt.gates, MaxIterations: 6,
				Settings: map[string]string{"loop.exit_zero_is_done": "false", "stop.red_gates": "0", "loop.backoff": "0s"},
			})
			if r.State != tt.state || r.Level != tt.level || r.Totals.Iterations != tt.n || tt.why != "" && (r.Why != tt.why || r.Reason != refrain.ByRule) {
				t.Errorf("result = %s by %s (%s), level %q, %d iterations; want %s, %q, %d: %s", r.State, r.Reason, r.Why, r.Level, r.Totals.Iterations, tt.state, tt.level, tt.n, tt.why)
			}
		})
	}
}
