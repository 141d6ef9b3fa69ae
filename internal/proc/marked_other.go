//go:build !linux

package proc

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// Elsewhere the environment of a process cannot be read, and nobody is found.

type target struct {
	match func(pid int, env []string) bool
	spare []string
}

func killMarked(context.Context, target) (int, error) { return 0, errNoTable }

// CleanUp cannot be done here.
func CleanUp(_ context.Context, _ []string, _ string, runs ...string) (ended int, err error) {
	if len(runs) == 0 {
		return 0, nil
	}
	return 0, errNoTable
}

// Left cannot be told here: the environment of other processes is not to be
// seen.
func Left([]string, string, string) ([]string, error) { return nil, errors.ErrUnsupported }

// Kept cannot be told here.
func Kept(int) bool { return false }

// Descends cannot be told here.
func Descends(int, int) bool { return false }

// self tells whether the runner is this process.
func (o owner) self() bool { return o.space == pidSpace() && o.pid == os.Getpid() }

// gone tells whether nobody has the number of the runner. Where it was given anew
// the runner is taken to live: what is left is left, and no stranger is hurt.
func (o owner) gone() bool {
	if o.space != pidSpace() {
		return false
	}
	process, err := os.FindProcess(o.pid)
	if err != nil {
		return true
	}
	err = process.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
