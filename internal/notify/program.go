package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/text"
)

// missing says that a program is not there.
type missing struct{ program string }

func (m missing) Error() string { return "there is no program " + m.program }

// run runs a program, for which only status 0 is well. name is what a person
// calls it.
func (e Exec) run(ctx context.Context, name string, spec proc.Spec) error {
	var said tail
	spec.Stderr = proc.Sink{Raw: &said}
	exit, err := e(ctx, spec)
	var start *proc.StartError
	switch {
	case errors.As(err, &start) && start.Missing():
		return missing{spec.Argv[0]}
	case err != nil:
		return fmt.Errorf("run %s: %w", name, err)
	case exit.Zero():
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("run %s: %w", name, ctx.Err())
	case exit.Code == nil:
		return fmt.Errorf("%s was killed by %s%s", name, exit.Signal, said.last())
	}
	return fmt.Errorf("%s exited with status %d%s", name, *exit.Code, said.last())
}

// tail keeps the end of what a program prints, whatever comes.
type tail []byte

const tailSize = 2 << 10

func (t *tail) Write(data []byte) (int, error) {
	*t = append(*t, data[max(0, len(data)-tailSize):]...)
	if excess := len(*t) - tailSize; excess > 0 {
		*t = append((*t)[:0], (*t)[excess:]...)
	}
	return len(data), nil
}

// last is the last line, to be put after a sentence.
func (t tail) last() string {
	lines := bytes.Split(bytes.TrimSpace(t), []byte("\n"))
	line := cleanLine(string(lines[len(lines)-1]))
	if line == "" {
		return ""
	}
	return ": " + text.Shorten(line, 240)
}

// variable is the value of an environment variable, the last if there are more.
func variable(env []string, name string) string {
	value := ""
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}
