//go:build unix

package refrain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain"
)

// script is a command that a shell runs.
func script(text string) []string { return []string{"sh", "-c", text} }

const claims = "echo '<promise>DONE</promise>'"

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, o refrain.Options) refrain.Result {
	t.Helper()
	result, err := refrain.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// elsewhere is an agent whose program is not here.
type elsewhere struct{ named }

func (elsewhere) Name() string { return "elsewhere" }
func (elsewhere) Command(refrain.Call) (refrain.Command, error) {
	return refrain.Command{Argv: []string{"no-such-program"}}, nil
}

func TestResultsOfRuns(t *testing.T) {
	goOn := map[string]string{"loop.exit_zero_is_done": "false"}
	tests := []struct {
		name   string
		o      refrain.Options
		state  refrain.Status
		reason refrain.Reason
		level  refrain.Level
		n      int // iterations
	}{
		{"a claim that gates prove", refrain.Options{Command: script("echo > done; " + claims), Until: "DONE", Gates: []string{"test -e done"}}, refrain.Done, refrain.ByPromise, refrain.LevelProven, 1},
		{"a claim with gates that were green before", refrain.Options{Command: script("echo > done; " + claims), Until: "DONE", Gates: []string{"true"}}, refrain.Done, refrain.ByPromise, refrain.LevelKept, 1},
		{"a claim without gates", refrain.Options{Command: script(claims), Until: "DONE"}, refrain.Done, refrain.ByPromise, refrain.LevelClaimed, 1},
		{"a claim that a gate refuses", refrain.Options{Command: script(claims), Until: "DONE", Gates: []string{"false"}, MaxIterations: 2}, refrain.Exhausted, refrain.ByIterations, "", 2},
		{"exit status 0", refrain.Options{Command: script("true")}, refrain.Done, refrain.ByExitZero, refrain.LevelClaimed, 1},
		{"as many iterations as were asked for", refrain.Options{Command: script("true"), Settings: goOn, MaxIterations: 3}, refrain.Done, refrain.ByIterations, refrain.LevelClaimed, 3},
		{"a command that fails", refrain.Options{Command: script("exit 1"), Settings: map[string]string{"stop.failures": "1"}}, refrain.Aborted, refrain.ByFailures, "", 1},
		{"a program of an agent of one's own that is not there", refrain.Options{CustomAgent: elsewhere{}, Prompt: "go"}, refrain.CouldNotRun, refrain.ByAgentMissing, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.o.Dir = t.TempDir()
			r := run(t, tt.o)
			if r.State != tt.state || r.Reason != tt.reason || r.Level != tt.level || r.Totals.Iterations != tt.n {
				t.Errorf("result = %s by %s (%s), level %q, %d iterations; want %s by %s, %q, %d",
					r.State, r.Reason, r.Why, r.Level, r.Totals.Iterations, tt.state, tt.reason, tt.level, tt.n)
			}
			if r.Proven != (r.Level == refrain.LevelProven) || (r.Level == "") != (r.State != refrain.Done) || r.Proof != nil && r.Proof.Level != r.Level {
				t.Errorf("level %q, proven %v, proof %+v: they do not fit", r.Level, r.Proven, r.Proof)
			}
			if r.Run != "run-1" || !strings.HasPrefix(r.ID, "loop_") || r.Why == "" || r.Elapsed < 0 || !r.Started {
				t.Errorf("result = %+v, want it to name the run and why it ended", r)
			}
			if _, err := os.Stat(filepath.Join(r.Dir, "journal.jsonl")); err != nil {
				t.Errorf("the run's folder: %v", err)
			}
		})
	}
}

func TestOptionsReachTheAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "TASK.md"), "Write about {{.Vars.topic}}.\n")
	run(t, refrain.Options{
		Dir: dir, PromptFile: "TASK.md", Context: []string{"Be brief."}, Vars: map[string]string{"topic": "rivers"},
		Command: script("cat > heard"),
	})
	heard, err := os.ReadFile(filepath.Join(dir, "heard"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Write about rivers.", "Be brief."} {
		if !strings.Contains(string(heard), want) {
			t.Errorf("the agent was told %q, want %q in it", heard, want)
		}
	}
}

// recorder keeps events, and sees whether they were on the disk before.
type recorder struct {
	t      *testing.T
	dir    string
	events []refrain.Event
}

func (r *recorder) Observe(e refrain.Event) {
	if started, ok := e.Payload.(*refrain.RunStarted); ok {
		r.dir = started.Dir
	}
	r.events = append(r.events, e)
	for _, file := range r.files() {
		b, err := os.ReadFile(file)
		if err == nil && bytes.Contains(b, []byte(`"seq":`+strconv.FormatInt(e.Seq, 10)+",")) {
			return
		}
	}
	r.t.Errorf("event %d (%s) is observed before it is on the disk", e.Seq, e.Type())
}

func (r *recorder) files() []string {
	attempts, _ := filepath.Glob(filepath.Join(r.dir, "iterations", "*", "events.jsonl"))
	return append(attempts, filepath.Join(r.dir, "journal.jsonl"))
}

func TestObserversHearEverythingInOrderAfterTheJournal(t *testing.T) {
	t.Parallel()
	r := &recorder{t: t}
	run(t, refrain.Options{
		Dir: t.TempDir(), Command: script("echo Hello; " + claims), Until: "DONE", Gates: []string{"true"},
		Observers: []refrain.Observer{r},
	})
	var types []refrain.EventType
	for i, e := range r.events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
		types = append(types, e.Type())
	}
	if types[0] != "run.started" || types[len(types)-1] != "run.finished" {
		t.Errorf("events = %v, want them from the start to the end", types)
	}
	for _, want := range []refrain.EventType{"agent.text", "claim.heard", "gate.finished", "iteration.finished"} {
		if !slices.Contains(types, want) {
			t.Errorf("events = %v, want %s among them", types, want)
		}
	}
}

func TestEncodedEventsAreThoseOfTheJournal(t *testing.T) {
	t.Parallel()
	var last []byte
	r := run(t, refrain.Options{
		Dir: t.TempDir(), Command: script("true"),
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			b, err := refrain.EncodeEvent(e)
			if err != nil || !json.Valid(b) {
				t.Errorf("EncodeEvent = %q, %v", b, err)
			}
			last = b
		})},
	})
	journal, err := os.ReadFile(filepath.Join(r.Dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(bytes.TrimSpace(journal), bytes.TrimSpace(last)) {
		t.Errorf("the journal does not end with %s", last)
	}
}

// API-14: a run is made, executed, cancelled and resumed.
func TestACancelledRunIsStoppedAndCanGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped, err := refrain.Run(ctx, refrain.Options{
		Dir: dir, Until: "DONE", Command: script("test -e second && " + claims + " || { touch second; sleep 1000; }"),
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if _, ok := e.Payload.(*refrain.AgentStarted); ok {
				cancel()
			}
		})},
	})
	if err != nil || stopped.State != refrain.Stopped || stopped.Totals.Iterations != 0 {
		t.Fatalf("Run = %+v, %v; want stopped, with nothing counted", stopped, err)
	}
	write(t, filepath.Join(dir, "second"), "")
	done, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir})
	if err != nil || done.State != refrain.Done || done.Run != stopped.Run || done.ID != stopped.ID || !done.Started {
		t.Fatalf("Resume = %+v, %v; want %s done", done, err, stopped.Run)
	}
	again, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, Run: done.Run})
	if err != nil || again.Started || again.State != refrain.Done || again.Dir != done.Dir {
		t.Errorf("Resume = %+v, %v; want the same end, and nothing started", again, err)
	}
}

func TestAContextThatIsDoneStartsNothing(t *testing.T) {
	t.Parallel()
	why := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	dir := t.TempDir()
	result, err := refrain.Run(ctx, refrain.Options{Dir: dir, Command: script("touch ran")})
	if err == nil && result.State != refrain.Stopped || err != nil && !errors.Is(err, why) {
		t.Errorf("Run = %+v, %v; want stopped, or %v", result, err, why)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}

func TestWithoutHelperNothingRuns(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), forgetful+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "true ") || !strings.Contains(string(out), "first in main") {
		t.Errorf("a program without Helper says %q, %v; want ErrNoHelper, and what to do", out, err)
	}
}
