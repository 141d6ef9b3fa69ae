package rehearsal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// theatre is a stage, what it was asked to do to the runner, and what came from
// it.
type theatre struct {
	*Stage
	clock  *Clock
	dir    string
	stdout bytes.Buffer
	stderr bytes.Buffer
	lines  []string
	pauses int
	asked  []string
}

func newTheatre(t *testing.T, steps string) *theatre {
	t.Helper()
	script, err := Parse([]byte("[[iteration]]\nsteps = [\n" + steps + "\n]\n"))
	if err != nil {
		t.Fatal(err)
	}
	th := &theatre{clock: NewClock(evening), dir: t.TempDir()}
	th.Stage = &Stage{
		Script: script, Time: th.clock, Exec: proc.Run,
		Crash:    func() { th.asked = append(th.asked, "crash") },
		FullDisk: func(d time.Duration) { th.asked = append(th.asked, "full for "+d.String()) },
		Note: func(iteration int, remark string) {
			th.asked = append(th.asked, fmt.Sprintf("%d: %s", iteration, remark))
		},
		GiveUp: func(why string) { th.asked = append(th.asked, why) },
	}
	return th
}

func (th *theatre) spec() proc.Spec {
	return proc.Spec{
		Dir: th.dir, Env: append(plainEnv(), "REFRAIN_ITERATION=1", "REFRAIN_ITERATION=2", "REFRAIN_SESSION="),
		Stdin: strings.NewReader("the prompt"),
		Stdout: proc.Sink{
			Raw: &th.stdout, Pause: func() { th.pauses++ },
			Line: func(line []byte, more bool) { th.lines = append(th.lines, fmt.Sprintf("%.60s%v", line, more)) },
		},
		Stderr: proc.Sink{Raw: &th.stderr},
	}
}

func (th *theatre) played(t *testing.T) played {
	t.Helper()
	return played{events: events(t, th.stdout.String()), stdout: th.stdout.String(), stderr: th.stderr.String()}
}

func code(n int) *int { return &n }

// What ends an attempt on the stage, how, and after how long.
func TestHowAnAttemptOnTheStageEnds(t *testing.T) {
	tests := []struct {
		name, steps string
		spec        func(*proc.Spec)
		want        loop.Exit
		after       time.Duration
		said        int // texts
	}{
		{"by itself, at once", `{ text = "a" }, { text = "b" }`, nil, loop.Exit{Code: code(0), Cause: loop.Exited}, 0, 2},
		{"by itself, after hours", `{ sleep = "3h" }, { text = "a" }, { exit = 3 }`, nil, loop.Exit{Code: code(3), Cause: loop.Exited}, 3 * time.Hour, 1},
		{"by its own hand", `{ sleep = "1m" }, { crash = true }`, nil, loop.Exit{Signal: "KILL", Cause: loop.Signaled}, time.Minute, 0},
		{"at its deadline", `{ text = "a" }, { sleep = "3h" }, { text = "b" }`, func(s *proc.Spec) { s.Timeout = 2 * time.Hour }, loop.Exit{Signal: "TERM", Cause: loop.AtDeadline}, 2 * time.Hour, 1},
		{"when it hangs", `{ sleep = "1h" }, { text = "a" }, { hang = true }`, func(s *proc.Spec) { s.Idle, s.Timeout = 61*time.Minute, 5*time.Hour }, loop.Exit{Signal: "TERM", Cause: loop.WhenIdle}, 2*time.Hour + time.Minute, 1},
		{"by the signal that it likes", `{ hang = true }`, func(s *proc.Spec) { s.Idle, s.First = time.Minute, "INT" }, loop.Exit{Signal: "INT", Cause: loop.WhenIdle}, time.Minute, 0},
		{"when it hangs and is deaf", `{ ignore_term = true }, { hang = true }`, func(s *proc.Spec) { s.Idle = time.Minute }, loop.Exit{Signal: "KILL", Cause: loop.WhenIdle}, time.Minute + ladder, 0},
		{"not while it is busy", `{ sleep = "3h" }`, func(s *proc.Spec) { s.Idle, s.Busy = time.Minute, func() bool { return true } }, loop.Exit{Code: code(0), Cause: loop.Exited}, 3 * time.Hour, 0},
		{"stderr is a sign of life", `{ sleep = "50m" }, { stderr_text = "a" }, { sleep = "50m" }`, func(s *proc.Spec) { s.Idle = time.Hour }, loop.Exit{Code: code(0), Cause: loop.Exited}, 100 * time.Minute, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			th := newTheatre(t, tt.steps)
			spec := th.spec()
			if tt.spec != nil {
				tt.spec(&spec)
			}
			got, err := th.Play(t.Context(), spec)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("exit (-want +got): %v\n%s", err, diff)
			}
			if after := th.clock.Now().Sub(evening); after != tt.after {
				t.Errorf("it lasted %s, want %s", after, tt.after)
			}
			out := th.played(t)
			if len(out.texts()) != tt.said {
				t.Errorf("it said %q, want %d texts", out.texts(), tt.said)
			}
			if _, alive := out.events, tt.want.Cause == loop.Exited; alive != strings.Contains(out.stdout, "agent.result") {
				t.Errorf("a result from one that ended by %s:\n%s", tt.want.Cause, out.stdout)
			}
		})
	}
}

// The runner ends an attempt by its context: at the very line that moved it to.
func TestTheRunnerEndsAnAttempt(t *testing.T) {
	for _, cause := range []loop.Cause{loop.OnRequest, loop.OnBudget, loop.OnMaxTime, loop.OnSkip, loop.OnRedline, loop.OnRetry} {
		th := newTheatre(t, `{ usage = { cost_usd = 1 } }, { text = "never said" }`)
		ctx, cancel := context.WithCancelCause(t.Context())
		spec := th.spec()
		spec.Stdout.Pause = func() { cancel(proc.End(cause)) }
		got, err := th.Play(ctx, spec)
		if want := (loop.Exit{Signal: "TERM", Cause: cause}); err != nil || got != want {
			t.Errorf("exit %+v, %v, want %+v", got, err, want)
		}
		if texts := th.played(t).texts(); len(texts) != 0 {
			t.Errorf("it said %q after its end", texts)
		}
		if again, err := th.Play(ctx, spec); err != nil || again != (loop.Exit{Cause: cause}) {
			t.Errorf("a life that is over begins: %+v, %v", again, err)
		}
	}
}

func TestATimerEndsASleep(t *testing.T) {
	th := newTheatre(t, `{ hang = true }`)
	ctx, cancel := context.WithCancelCause(t.Context())
	th.clock.AfterFunc(90*time.Minute, func() { cancel(proc.End(loop.OnMaxTime)) })
	got, err := th.Play(ctx, th.spec())
	if want := (loop.Exit{Signal: "TERM", Cause: loop.OnMaxTime}); err != nil || got != want {
		t.Errorf("exit %+v, %v, want %+v", got, err, want)
	}
	want := []Ended{{Iteration: 2, Attempt: 1, Cause: loop.OnMaxTime, Silence: 90 * time.Minute, Lasted: 90 * time.Minute}}
	if diff := cmp.Diff(want, th.Ended); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}

func TestAHangThatNobodyEndsIsGivenUp(t *testing.T) {
	th := newTheatre(t, `{ hang = true }`)
	ctx, cancel := context.WithCancelCause(t.Context())
	th.GiveUp = func(why string) {
		th.asked = append(th.asked, why)
		cancel(nil)
	}
	got, err := th.Play(ctx, th.spec())
	if err != nil || got.Cause != loop.OnRequest || th.clock.Now().Sub(evening) != longestSilence {
		t.Errorf("exit %+v, %v after %s", got, err, th.clock.Now().Sub(evening))
	}
	if len(th.asked) != 1 || !strings.Contains(th.asked[0], "nothing ends an agent that hangs") {
		t.Errorf("given up with %q", th.asked)
	}
}

func TestAnAttemptOnTheStageDoesWhatItsScriptSays(t *testing.T) {
	th := newTheatre(t, `
		{ session = "s-{iteration}" },
		{ text = "{iteration}/{attempt} in {session}" },
		{ write = "a.txt", content = "x" },
		{ run = "cat; cat a.txt; echo $REFRAIN_ITERATION; exit 4" },
		{ daemon = "touch b.txt" },
		{ note = "half past {iteration}" },
		{ full_disk = "20m" },
		{ crash_runner = true },
		{ limit = "five_hour", resets_in = "2h" },
	`)
	exit, err := th.Play(t.Context(), th.spec())
	if err != nil || exit.Code == nil || *exit.Code != 1 {
		t.Errorf("exit %+v, %v, want 1", exit, err)
	}
	out := th.played(t)
	if got := out.events[0].(*loop.AgentSession).Session; got != "s-2" {
		t.Errorf("session %q", got)
	}
	if got := out.texts(); !slices.Equal(got, []string{"2/1 in s-2"}) {
		t.Errorf("said %q", got)
	}
	ran := out.toolResults()[1]
	if ran.Output != "the promptx2\n" || ran.Exit == nil || *ran.Exit != 4 || !ran.Failed {
		t.Errorf("ran to %+v", ran)
	}
	if b, err := os.ReadFile(filepath.Join(th.dir, "a.txt")); err != nil || string(b) != "x" {
		t.Errorf("wrote %q, %v", b, err)
	}
	if want := []string{"2: half past 2", "full for 20m0s", "crash"}; !slices.Equal(th.asked, want) {
		t.Errorf("asked for %q, want %q", th.asked, want)
	}
	i := slices.IndexFunc(out.events, func(e loop.Payload) bool { return e.Type() == "agent.limit" })
	if until := out.events[i].(*loop.AgentLimit).Limit.Until; until != evening.Add(2*time.Hour) {
		t.Errorf("the limit resets at %s, want two hours of the stage's own time", until)
	}
}

func TestASessionThatGoesOnIsToldAgain(t *testing.T) {
	th := newTheatre(t, `{ session = "new" }, { text = "{session}" }`)
	spec := th.spec()
	spec.Env = append(spec.Env, "REFRAIN_SESSION=old")
	if _, err := th.Play(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	out := th.played(t)
	if got := out.events[0].(*loop.AgentSession).Session; got != "old" || out.texts()[0] != "old" {
		t.Errorf("session %q, said %q", got, out.texts())
	}
}

// What only a stage can do is an error elsewhere, and no mistake in the script.
func TestOffTheStage(t *testing.T) {
	t.Parallel()
	for _, step := range []string{`{ crash_runner = true }`, `{ full_disk = "1m" }`} {
		got := newStage(t).steps(t, step)
		if r := got.result(t); r.OK || !strings.Contains(r.Error.Message, `works in "refrain rehearse" only`) {
			t.Errorf("%s: result %+v", step, r)
		}
	}
	got := newStage(t).steps(t, `{ note = "a remark" }, { session = "s" }`)
	if !got.result(t).OK || got.stderr != "a remark\n" || len(got.texts()) != 0 {
		t.Errorf("stderr %q, stdout:\n%s", got.stderr, got.stdout)
	}
}

func TestLinesOnTheStageAreAsFromAPipe(t *testing.T) {
	th := newTheatre(t, `{ raw = "one\ntwo" }, { endless_line_mb = 9 }, { raw = "three" }`)
	if _, err := th.Play(t.Context(), th.spec()); err != nil {
		t.Fatal(err)
	}
	var short []string
	for _, line := range th.lines {
		short = append(short, strings.ReplaceAll(line, strings.Repeat("~", 60), "~"))
	}
	want := []string{"onefalse", "twofalse", "~true", "~true", "~false", "threefalse", `{"type":"agent.result","ok":true}false`}
	if !slices.Equal(short, want) {
		t.Errorf("lines %q, want %q", short, want)
	}
	if th.pauses == 0 {
		t.Error("nobody paused")
	}
}
