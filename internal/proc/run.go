package proc

import (
	"context"
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

	Timeout time.Duration // from start to end; 0 is none
	Idle    time.Duration // since the last byte on either stream; 0 is none
	First   string        // first signal of the ladder: "INT", "TERM" or "HUP"; empty is TERM

	Started func(pid int, at time.Time) // called once, before any line
}

// Run runs the process to its end and tells how it ended. It returns after the
// last call of a sink has. The error is a *StartError when there is no such
// program or it cannot be executed.
//
// When ctx is cancelled, the process is ended, and the exit's cause is the one
// given to End, else loop.OnRequest. A ctx that is already cancelled starts
// nothing.
func Run(ctx context.Context, s Spec) (loop.Exit, error) {
	first, err := firstSignal(s.First)
	if err != nil {
		return loop.Exit{}, err
	}
	if ctx.Err() != nil {
		return loop.Exit{Cause: causeOf(ctx)}, nil
	}
	c, err := start(s)
	if err != nil {
		return loop.Exit{}, err
	}
	if s.Started != nil {
		s.Started(c.pid(), c.at)
	}

	var streams sync.WaitGroup
	streams.Go(func() { c.stdin.feed(s.Stdin) })
	streams.Go(func() { c.stdout.drain(s.Stdout, &c.pulse) })
	streams.Go(func() { c.stderr.drain(s.Stderr, &c.pulse) })
	go c.watch()

	cause := c.await(ctx, s.Timeout, s.Idle)
	if cause != loop.Exited {
		c.climb(first)
	}
	exit, err := c.reap()
	streams.Wait()
	if err != nil {
		return loop.Exit{}, fmt.Errorf("wait for %s: %w", s.Argv[0], err)
	}
	if exit.Cause = cause; cause == loop.Exited && exit.Signal != "" {
		exit.Cause = loop.Signaled
	}
	return exit, nil
}
