package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Spec says what to run and how long to bear with it.
type Spec struct {
	Argv  []string // a program without a slash is looked up in the PATH of the runner
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

	// Plain says that it starts no program of anybody's choice, as a git of ours
	// does: no cgroup is made for it, which would take longer than many of them.
	Plain bool

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
	if s.Started != nil {
		s.Started(c.pid(), c.at)
	}

	var streams sync.WaitGroup
	streams.Go(func() { feed(c.stdin, s.Stdin) })
	streams.Go(func() { drain(c.stdout, s.Stdout, &c.pulse) })
	streams.Go(func() { drain(c.stderr, s.Stderr, &c.pulse) })

	cause := c.await(ctx, s.Timeout, s.Idle)
	if cause != loop.Exited {
		c.climb(first)
	}
	exit, err := c.reap()
	c.stopStreams()
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
