package rehearsal

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

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
