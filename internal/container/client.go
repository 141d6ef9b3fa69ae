package container

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/text"
)

// runner runs a process to its end.
type runner func(context.Context, proc.Spec) (loop.Exit, error)

// answerTime is more than an engine takes for anything that pulls no image, even on
// a machine that is busy.
const answerTime = 30 * time.Second

// maxAnswer is more than any list of ours is long.
const maxAnswer = 1 << 20

// ask runs a command of the engine's and gives what it printed. It is not ended with
// a run that ends: what has to be asked then is how to end it.
func ask(ctx context.Context, run runner, argv, env []string) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var out, complaint last
	exit, err := run(ctx, proc.Spec{Argv: argv, Env: env, Dir: "/", Stdout: proc.Sink{Line: out.hear}, Stderr: proc.Sink{Line: complaint.hear}, Plain: true})
	switch {
	case err != nil:
		return "", err
	case exit.Cause != loop.Exited && ctx.Err() != nil:
		return "", fmt.Errorf("%s %s did not answer", argv[0], argv[1])
	case exit.Code == nil:
		return "", fmt.Errorf("%s %s was ended by %s", argv[0], argv[1], exit.Signal)
	case *exit.Code != 0:
		return "", said(complaint.line(), *exit.Code)
	}
	return out.text(), nil
}

// last keeps what was printed, as far as it is not too much.
type last struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *last) hear(line []byte, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.b.Len() > maxAnswer {
		return
	}
	l.b.Write(line)
	if !more {
		l.b.WriteByte('\n')
	}
}

func (l *last) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// line is the last one that says something, fit to be shown.
func (l *last) line() string {
	lines := strings.Split(strings.TrimSpace(l.text()), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if line != "" && !strings.HasPrefix(line, "See '") && !strings.HasPrefix(line, "Run '") {
			return text.Clean(line)
		}
	}
	return ""
}
