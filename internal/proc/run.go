package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Spec says what to run and how long to bear with it.
type Spec struct {
	Argv  []string // a program without a slash is looked up in the PATH of the runner: by package outside for Own
	Role  Role
	Dir   string
	Env   []string  // the complete environment
	Stdin io.Reader // nil is empty; a Read must not block for ever

	// Stdout and Stderr are called from one goroutine each, so a sink shared
	// by both needs a lock.
	Stdout Sink
	Stderr Sink

	// StdoutFile gives the process a file for its stdout, which is followed as
	// it grows. Some programs lose what they have not written when they end,
	// if stdout is a pipe.
	StdoutFile bool

	Timeout time.Duration // from start to end; 0 is none
	Idle    time.Duration // since the last sign of life; 0 is none
	First   string        // first signal of the ladder: "INT", "TERM" or "HUP"; empty is TERM

	// Busy tells that a silent process is not idle, for example because a tool
	// that it called is at work. A byte on either stream and the use of a
	// processor, by the process or by what it started, are signs of life too.
	Busy func() bool

	// Relay takes a signal to the process that is meant, where what is started is
	// only a client of it; nil: they are the same. It must not block for long.
	Relay func(signal string)

	// Plain says that it starts no program of anybody's choice, as a git of ours
	// does: no cgroup is made for it, which would take longer than many of them.
	Plain bool

	// Untouched says of a process of Own that no agent has been in the work tree, so
	// that the PATH may lead there.
	Untouched bool

	Started func(pid int, at time.Time) // called once, before any line
	Warn    func(loop.Warning)          // what people should know; nil is nobody
}

func (s Spec) warn(w loop.Warning) {
	if s.Warn != nil {
		s.Warn(w)
	}
}

// Run runs the process to its end and tells how it ended. It returns after the
// last call of a sink has. The error is a *StartError when there is no such
// program or it cannot be executed, and a *KeeperError when the process was lost
// with its keeper, where the exit is KILL.
//
// When ctx is cancelled, the process is ended, and the exit's cause is the one
// given to End, else loop.OnRequest. A ctx that is already cancelled starts
// nothing.
//
// Only who is still in its group is ended with the process: Run is for short
// commands of the runner's own. Whatever may start anything runs under a Keeper.
func Run(ctx context.Context, s Spec) (loop.Exit, error) { return runBy(ctx, s, startDirect) }

// runBy runs the process to its end, whoever starts it.
func runBy(ctx context.Context, s Spec, starter starter) (loop.Exit, error) {
	first, err := firstSignal(s.First)
	if err != nil {
		return loop.Exit{}, err
	}
	if ctx.Err() != nil {
		return loop.Exit{Cause: causeOf(ctx)}, nil
	}
	c, err := start(s, starter)
	if err != nil {
		return loop.Exit{}, err
	}
	if s.Relay != nil {
		c.process = &relayed{process: c.process, relay: s.Relay}
	}
	if s.Started != nil {
		s.Started(c.pid(), c.at)
	}

	var streams sync.WaitGroup
	streams.Go(func() { feed(c.stdin, s.Stdin) })
	streams.Go(func() { drain(c.stdout, s.Stdout, &c.output) })
	streams.Go(func() { drain(c.stderr, s.Stderr, &c.output) })

	cause := c.await(ctx, s.Timeout, s.Idle)
	if cause != loop.Exited {
		c.climb(first)
	}
	exit, err := c.reap()
	c.stopStreams()
	if held, ok := s.Stdin.(*Held); ok {
		held.Release()
	}
	streams.Wait()
	if err == nil && cause != loop.Exited && c.unasked() {
		cause = loop.Exited // it was about to be asked, and had ended by itself
	}
	if exit.Cause = cause; cause == loop.Exited && exit.Signal != "" {
		exit.Cause = loop.Signaled
	}
	var lost *KeeperError
	switch {
	case errors.As(err, &lost) && cause != loop.Exited:
		return exit, nil // it was to end, and has
	case lost != nil:
		return exit, err
	case err != nil:
		return loop.Exit{}, fmt.Errorf("wait for %s: %w", s.Argv[0], err)
	}
	return exit, nil
}

// feed writes the input and closes the stream. A process that does not read
// it, or not all of it, has its reasons: that is no error.
func feed(stdin *os.File, input io.Reader) {
	if stdin == nil {
		return
	}
	_, _ = io.Copy(stdin, input)
	_ = stdin.Close()
}

// End makes the error to cancel a context with, so that the exit of a process
// under it says why it was ended.
func End(c loop.Cause) error { return ending(c) }

type ending loop.Cause

func (e ending) Error() string { return "the process is to end: " + string(e) }

// causeOf reads what End has put into the context.
func causeOf(ctx context.Context) loop.Cause {
	var e ending
	if errors.As(context.Cause(ctx), &e) {
		return loop.Cause(e)
	}
	return loop.OnRequest
}

// firstSignal checks the name of the first signal of the ladder.
func firstSignal(name string) (string, error) {
	switch name {
	case "":
		return "TERM", nil
	case "INT", "TERM", "HUP":
		return name, nil
	}
	return "", fmt.Errorf("first signal %q: it must be INT, TERM or HUP", name)
}

// await waits until the process has ended or one of its limits is reached, and
// tells which. It gives loop.Exited when the process ended by itself.
func (c *child) await(ctx context.Context, timeout, idle time.Duration) loop.Cause {
	var deadline, quiet <-chan time.Time
	if timeout > 0 {
		deadline = time.After(timeout - time.Since(c.at))
	}
	if idle > 0 {
		quiet = time.After(look(idle, c.output.silence()))
	}
	for {
		select {
		case <-c.ended():
			return loop.Exited
		case <-ctx.Done():
			return causeOf(ctx)
		case <-deadline:
			return loop.AtDeadline
		case <-quiet:
			if c.busy != nil && c.busy() {
				c.output.heard(0)
			}
			silence := c.output.silence()
			if silence >= idle {
				return loop.WhenIdle
			}
			quiet = time.After(look(idle, silence))
		}
	}
}

// look is when to look again at a process that has been silent for so long:
// some times before it counts as idle, since whether it uses a processor shows
// only between two looks.
func look(idle, silence time.Duration) time.Duration {
	return min(idle-silence, max(idle/8, 10*time.Millisecond), 15*time.Second)
}

// climb ends the process, each rung harder than the one before.
func (c *child) climb(first string) {
	term, kill := time.After(ladder.term), time.After(ladder.kill)
	c.signal(first)
	for {
		select {
		case <-c.ended():
			return
		case <-term:
			if first != "TERM" {
				c.signal("TERM")
			}
		case <-kill:
			c.kill()
			<-c.ended()
			return
		}
	}
}
