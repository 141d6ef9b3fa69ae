//go:build unix

package notify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// program is a command channel in a folder of its own.
func program(t *testing.T, line string) command {
	t.Helper()
	env := append(os.Environ(), "REFRAIN_NOTIFY_WHY=old", "REFRAIN_NOTIFY_EMAIL_PASSWORD=hidden")
	n, err := newCommand(Settings{Command: line, Dir: t.TempDir(), Env: env, Exec: proc.Run})
	if err != nil {
		t.Fatal(err)
	}
	return n.(command)
}

func TestACommandIsTold(t *testing.T) {
	c := program(t, `read -r line && printf '%s\n' "$line" > stdin
printf '%s|' "$REFRAIN_NOTIFY_KIND" "$REFRAIN_NOTIFY_TEXT" "$REFRAIN_NOTIFY_URGENT" "$REFRAIN_NOTIFY_COST_USD" "$REFRAIN_NOTIFY_ELAPSED_MS" \
	"${REFRAIN_NOTIFY_WHY-unset}" "${REFRAIN_NOTIFY_SILENT-unset}" "${REFRAIN_NOTIFY_EMAIL_PASSWORD-unset}" > variables`)
	m := message
	m.Why = ""
	if err := c.Notify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"stdin":     `{"kind":"aborted","title":"refrain: build-7 was aborted",`,
		"variables": "aborted|" + m.Text + "|true|1.25|90000|unset|unset|unset|",
	} {
		got, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s = %s, %v, want %s", name, got, err, want)
		}
	}
}

func TestACommandThatFails(t *testing.T) {
	for line, want := range map[string]string{
		"echo one >&2; echo 'two\x1b[1m' >&2; exit 3": "notify.command exited with status 3: two",
		"exit 3":     "notify.command exited with status 3",
		"kill -9 $$": "notify.command was killed by KILL",
		"head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; exit 1": "notify.command exited with status 1: " + strings.Repeat("x", 237) + "…",
	} {
		if err := program(t, line).Notify(t.Context(), message); errorText(err) != want {
			t.Errorf("%s: error %q, want %q", line, errorText(err), want)
		}
	}
}

func TestACommandThatCannotStart(t *testing.T) {
	c := program(t, "true")
	c.dir = filepath.Join(c.dir, "gone")
	if err := c.Notify(t.Context(), message); err == nil || !strings.HasPrefix(err.Error(), "run notify.command: ") {
		t.Errorf("error %v", err)
	}
}

func TestACommandIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := program(t, "sleep 60 & wait")
	c.exec = func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		s.Started = func(int, time.Time) { cancel() }
		return proc.Run(ctx, s)
	}
	if err := c.Notify(ctx, message); errorText(err) != "run notify.command: context canceled" {
		t.Errorf("error %v", err)
	}
}
