package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// hookTimeout is for what runs hooks and filters of the user's: they may run
// tests, ask for a passphrase, or fetch large files.
const hookTimeout = 10 * time.Minute

// runHooks runs a git command that runs hooks of the user's. They get the time,
// the user's language, and no maintenance in the background, which would be
// ended halfway together with the command.
func (t *Tree) runHooks(ctx context.Context, c command, args ...string) error {
	env, err := t.env()
	if err != nil {
		return fmt.Errorf("git %s in %s: %w", args[0], t.dir, err)
	}
	var complaint bytes.Buffer
	exit, err := t.exec(ctx, proc.Spec{
		Argv:    append([]string{t.program, "-c", "maintenance.auto=false"}, args...),
		Dir:     t.dir,
		Env:     append(append(with(with(env, unwatched), outside...), c.env...), "LC_ALL="+os.Getenv("LC_ALL")),
		Stdin:   bytes.NewReader(c.stdin),
		Stderr:  proc.Sink{Raw: &complaint},
		Timeout: hookTimeout,
	})
	switch {
	case err != nil:
		return fmt.Errorf("git %s in %s: %w", args[0], t.dir, err)
	case exit.Zero():
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s in %s: %w", args[0], t.dir, context.Cause(ctx))
	case exit.Cause == loop.AtDeadline:
		return fmt.Errorf("git %s in %s: no end within %v: %s", args[0], t.dir, hookTimeout, ending(complaint.String()))
	}
	return &gitError{command: args[0], dir: t.dir, exit: exit, complaint: ending(complaint.String())}
}

// line runs a git command that prints one line. One that has nothing to say
// exits with 1, and the line is empty.
func (t *Tree) line(ctx context.Context, c command, args ...string) (string, error) {
	out, err := t.runIn(ctx, t.dir, c, args...)
	var failed *gitError
	if errors.As(err, &failed) && failed.saidNo() {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// says runs a git command that answers yes or no by its exit code.
func (t *Tree) says(ctx context.Context, c command, args ...string) (bool, error) {
	_, err := t.runIn(ctx, t.dir, c, args...)
	var failed *gitError
	if errors.As(err, &failed) && failed.saidNo() {
		return false, nil
	}
	return err == nil, err
}

// complaintLimit is enough for the last words of a test runner.
const complaintLimit = 2000

// ending is the end of what git and the hooks said, in whole lines.
func ending(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\ufffd")
	if len(s) <= complaintLimit {
		return s
	}
	s = s[len(s)-complaintLimit:]
	if _, whole, ok := strings.Cut(s, "\n"); ok {
		return "…\n" + whole
	}
	return "…" + strings.ToValidUTF8(s, "")
}

// splitNUL cuts a list that git ends each item of with a NUL.
func splitNUL(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
