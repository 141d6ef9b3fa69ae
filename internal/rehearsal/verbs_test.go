package rehearsal

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

var update = flag.Bool("update", false, "write testdata/stream.jsonl anew")

// The stream in testdata is what the decoder in package agent is tested on.
func TestTheWholeStream(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.prompt = "Fix it.\nSay so."
	got := s.steps(t, `
		{ text = "Looking at the failing test." },
		{ echo_prompt = true },
		{ write = "a/b.txt", content = "iteration {iteration}\n" },
		{ run = "cat a/b.txt; echo oops >&2; exit 3" },
		{ delete = "a" },
		{ tool_result = "<promise>DONE</promise>" },
		{ raw = "a line that is no event" },
		{ usage = { input = 1200, output = 300, cache_read = 7, cache_write = 8, cost_usd = 0.02, context_percent = 31, turns = 3 } },
		{ claim = "DONE" },
		{ limit = "five_hour" },
		{ text = "never said" },
	`)
	path := filepath.Join("testdata", "stream.jsonl")
	if *update {
		if err := os.WriteFile(path, []byte(got.stdout), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.stdout, "\n")); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
	if got.code != 1 {
		t.Errorf("exit %d, want 1 after a limit", got.code)
	}
}

func TestAClaimStandsAloneOnItsLine(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ claim = "DONE" }`)
	if want := []string{"<promise>DONE</promise>"}; !slices.Equal(got.texts(), want) {
		t.Errorf("said %q, want %q", got.texts(), want)
	}
}

func TestStderrTextStaysOffStdout(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ stderr_text = "warning {iteration}" }`)
	if got.stderr != "warning 1\n" || len(got.texts()) != 0 {
		t.Errorf("stderr %q, said %q, want the warning on stderr only", got.stderr, got.texts())
	}
}

func TestRawNeedNotBeAnEvent(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ raw = "{\"type\":" }`)
	if line, _, _ := strings.Cut(got.stdout, "\n"); line != `{"type":` {
		t.Errorf("first line %q, want it as written", line)
	}
	if !got.result(t).OK {
		t.Error("the attempt did not end well")
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	got := s.steps(t, `
		{ write = "new/deep/a.txt", content = "one {iteration}\n" },
		{ write = "new/deep/a.txt", content = "two\n", append = true },
		{ write = "b-{iteration}.txt", content = "first, and long" },
		{ write = "b-{iteration}.txt", content = "second" },
		{ write = "tool.sh", content = "#!/bin/sh\n", mode = "0750" },
		{ write = "empty" },
	`)
	if !got.result(t).OK || got.code != 0 {
		t.Fatalf("exit %d, stdout:\n%s", got.code, got.stdout)
	}
	for name, want := range map[string]string{
		"new/deep/a.txt": "one 1\ntwo\n",
		"b-1.txt":        "second",
		"empty":          "",
	} {
		if b, err := os.ReadFile(filepath.Join(s.dir, name)); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v, want %q", name, b, err, want)
		}
	}
	info, err := os.Stat(filepath.Join(s.dir, "tool.sh"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("tool.sh: %v, %v, want mode 0750", info, err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"file", "folder/a", "folder/b", "stays"} {
		path := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := s.steps(t, `{ delete = "file" }, { delete = "folder" }, { delete = "never-there" }`)
	if !got.result(t).OK {
		t.Fatalf("stdout:\n%s", got.stdout)
	}
	left, err := fs.Glob(os.DirFS(s.dir), "*")
	if err != nil || len(left) != 1 || left[0] != "stays" {
		t.Errorf("left %q, %v, want only the file that stays", left, err)
	}
}

func TestALinkDoesNotLeadOut(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{
		"writing":  `{ write = "out/file", content = "x" }`,
		"deleting": `{ delete = "out/kept" }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, outside := newStage(t), t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(s.dir, "out")); err != nil {
				t.Fatal(err)
			}
			got := s.steps(t, step)
			if got.code != 1 || got.result(t).OK {
				t.Errorf("exit %d, result %+v, want a failure", got.code, got.result(t))
			}
			left, err := fs.Glob(os.DirFS(outside), "*")
			if err != nil || len(left) != 1 || left[0] != "kept" {
				t.Errorf("outside holds %q, %v, want only what was there", left, err)
			}
		})
	}
}

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

// startAndAwait starts a script and returns when it has said "ready".
func startAndAwait(t *testing.T, steps string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := newStage(t).command(t, "[[iteration]]\nsteps = ["+steps+"]")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewReader(stdout)
	awaitText(t, lines, "ready")
	return cmd, lines
}

func awaitText(t *testing.T, lines *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("stdout ended before %q: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// signalOf is the signal that ended a process.
func signalOf(t *testing.T, cmd *exec.Cmd) syscall.Signal {
	t.Helper()
	var status *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &status) {
		t.Fatalf("Wait = %v, want the end by a signal", err)
	}
	return status.Sys().(syscall.WaitStatus).Signal()
}

func TestAHangLastsUntilASignal(t *testing.T) {
	t.Parallel()
	cmd, lines := startAndAwait(t, `{ text = "ready" }, { hang = true }, { text = "never said" }`)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("printed %q, %v after the hang", rest, err)
	}
	if got := signalOf(t, cmd); got != syscall.SIGTERM {
		t.Errorf("ended by %v, want TERM", got)
	}
}

func TestIgnoreTermLeavesOnlyKill(t *testing.T) {
	t.Parallel()
	// The signals come from the script itself, so that they have been
	// delivered when it goes on.
	cmd, lines := startAndAwait(t, `
		{ text = "ready" }, { ignore_term = true },
		{ run = "kill -TERM $PPID; kill -INT $PPID; kill -TERM $$; echo deaf too" },
		{ text = "still here" }, { hang = true },
	`)
	awaitText(t, lines, "deaf too")
	awaitText(t, lines, "still here")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := signalOf(t, cmd); got != syscall.SIGKILL {
		t.Errorf("ended by %v, want KILL", got)
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, step string
		texts      int // lines of text on stdout
		stderr     int // bytes
	}{
		{"on stdout it is text", `{ flood_mb = 2 }`, 2048, 0},
		{"on stderr it is not", `{ flood_mb = 2, stderr = true }`, 0, 2 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := newStage(t).steps(t, tt.step)
			if len(got.texts()) != tt.texts || len(got.stderr) != tt.stderr || !got.result(t).OK {
				t.Errorf("%d texts and %d bytes on stderr, want %d and %d", len(got.texts()), len(got.stderr), tt.texts, tt.stderr)
			}
			last := strings.LastIndex(got.stdout, `{"type":"agent.result"`)
			if tt.texts > 0 && last != 2<<20 {
				t.Errorf("%d bytes before the result, want %d", last, 2<<20)
			}
		})
	}
}

func TestTheEndlessLineEndsBeforeTheResult(t *testing.T) {
	t.Parallel()
	got := newStage(t).steps(t, `{ endless_line_mb = 3 }`)
	line, rest, _ := strings.Cut(got.stdout, "\n")
	if len(line) != 3<<20 || !strings.HasPrefix(rest, `{"type":"agent.result"`) {
		t.Errorf("a line of %d bytes, then %.30q, want %d and the result", len(line), rest, 3<<20)
	}
}
