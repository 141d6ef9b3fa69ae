//go:build !windows

package awake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/outside"
)

// program is a program that keeps the machine awake for as long as it runs, and
// that ends by itself when we do.
type program struct {
	argv []string

	// echoes: it holds before it starts cat, which ends with its input, and then
	// so does the program. Only this process has the other end of that input, so
	// that it closes even when we are killed. An answer of cat means that the
	// machine is held awake.
	echoes bool
}

// programs has the one of each system.
var programs = map[string]func(why string) program{
	"linux": func(why string) program {
		return program{[]string{"systemd-inhibit", "--what=idle:sleep", "--who=refrain", "--why=" + why, "--mode=block", "cat"}, true}
	},
	// Given a command, caffeinate holds after it has started it, if at all, and
	// the command goes on regardless. So it is told to watch us instead.
	"darwin": func(string) program {
		return program{[]string{"caffeinate", "-i", "-w", strconv.Itoa(os.Getpid())}, false}
	},
}

var (
	// answerIn is generous: nobody waits for it, but a bus that never answers
	// must not leave a program waiting all night.
	answerIn = 10 * time.Second

	// endIn is how long a program may take to end when it is asked to.
	endIn = 2 * time.Second
)

// hold keeps the machine awake until ctx ends. The error says why it was not, or
// not to the end.
func hold(ctx context.Context, why string, held func()) error {
	program, ok := programs[runtime.GOOS]
	if !ok {
		return fmt.Errorf("nothing is known here that keeps %s awake", runtime.GOOS)
	}
	return program(why).run(ctx, held)
}

func (p program) run(ctx context.Context, held func()) error {
	trying, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	limit := time.AfterFunc(answerIn, func() { giveUp(fmt.Errorf("%s did not answer within %v", p.argv[0], answerIn)) })
	defer limit.Stop()

	var complaint lastWords
	err := p.runWith(trying, &complaint, sync.OnceFunc(func() {
		limit.Stop()
		held()
	}))
	switch {
	case ctx.Err() != nil:
		return nil
	case trying.Err() != nil:
		return context.Cause(trying)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed", p.argv[0])
	case len(complaint) > 0:
		return fmt.Errorf("%s says: %s", p.argv[0], complaint.line())
	case err != nil:
		return fmt.Errorf("%s: %w", p.argv[0], err)
	}
	return fmt.Errorf("%s has ended", p.argv[0])
}

// runWith runs the program to its end, which it is asked for when ctx ends.
func (p program) runWith(ctx context.Context, complaint *lastWords, held func()) error {
	path, err := outside.Find(p.argv[0])
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, p.argv[1:]...)
	cmd.Env = outside.Environ(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl+C is for the runner alone
	cmd.Stdout, cmd.Stderr = writer(held), complaint
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Cancel = func() error {
		if p.echoes {
			return input.Close() // cat ends first, and its parent reaps it
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = endIn // then it is killed
	if err := cmd.Start(); err != nil {
		return err
	}
	if p.echoes {
		_, _ = fmt.Fprintln(input) // who has ended already does not hear it
	} else {
		held()
	}
	return cmd.Wait()
}

// writer calls a function for whatever is written.
type writer func()

func (w writer) Write(b []byte) (int, error) {
	w()
	return len(b), nil
}

// lastWords keeps the end of what a program prints.
type lastWords []byte

func (l *lastWords) Write(b []byte) (int, error) {
	const enough = 300
	*l = append(*l, b...)
	*l = (*l)[max(0, len(*l)-enough):]
	return len(b), nil
}

// line is the last line of it.
func (l lastWords) line() string {
	text := bytes.TrimSpace(l)
	return strings.ToValidUTF8(string(text[bytes.LastIndexByte(text, '\n')+1:]), "")
}
