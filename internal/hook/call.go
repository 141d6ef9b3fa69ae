package hook

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Call is what a hook is run with.
type Call struct {
	Input   []byte // JSON that says what happened, for stdin
	Env     []string
	Dir     string
	Timeout time.Duration // 0 is none
	Log     io.Writer     // gets every byte that it prints; nil is none

	// Exec runs a process to its end, and whatever that has started.
	Exec func(context.Context, proc.Spec) (loop.Exit, error)
}

// ending is how a program ended: by itself with a status, interrupted, or in
// trouble.
type ending struct {
	status      *int
	interrupted bool
	timedOut    bool
	trouble     string // a verb and its object
	hint        string
	said        string // the last line of what it printed
	took        time.Duration
}

// why is the trouble, and what the program itself said of it.
func (e ending) why() string {
	if e.said == "" {
		return e.trouble
	}
	return e.trouble + ": " + e.said
}

func (c Call) run(ctx context.Context, argv []string) ending {
	var out output
	out.log = c.Log
	start := time.Now()
	exit, err := c.Exec(ctx, proc.Spec{
		Argv: argv, Dir: c.Dir, Env: c.Env, Stdin: c.stdin(), Timeout: c.Timeout,
		Stdout: proc.Sink{Raw: out.stream(&out.stdout)}, Stderr: proc.Sink{Raw: out.stream(&out.stderr)},
	})
	end := ending{said: out.said(), took: time.Since(start)}
	switch {
	case err != nil:
		end.trouble, end.hint = notStarted(argv[0], err)
	case exit.Cause == loop.AtDeadline: // a status is that of a program that was told to end
		end.timedOut, end.trouble = true, "took longer than "+c.Timeout.String()+" and was ended"
	case exit.Cause != loop.Exited && exit.Cause != loop.Signaled:
		end.interrupted = true
	case exit.Code == nil:
		end.trouble = "was killed by " + exit.Signal
	default:
		end.status = exit.Code
	}
	return end
}

// stdin is the input as one line with its end, without which the shell's read
// fails.
func (c Call) stdin() io.Reader {
	if len(c.Input) == 0 {
		return nil
	}
	return io.MultiReader(bytes.NewReader(bytes.TrimSuffix(c.Input, newline)), bytes.NewReader(newline))
}

var newline = []byte{'\n'}
