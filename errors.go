package refrain

import (
	"errors"
	"fmt"
	"time"
)

// ErrNoHelper says that the program does not call Helper.
var ErrNoHelper = errors.New("refrain: Helper was not called: call it first in main, or in TestMain, for a run starts its program again in other roles")

// UsageError is a mistake in what was asked for, in the options or in the
// settings. It is found before anything is written.
type UsageError struct {
	What string // what is wrong
	Hint string // what to do; may be empty, and may name a command to type
	err  error
}

func (e *UsageError) Error() string { return e.What }
func (e *UsageError) Unwrap() error { return e.err }

// MissingAgentError says that the program of the agent cannot be found, or not be
// executed. Nothing was begun. Of a CustomAgent nobody knows that beforehand: then
// the result is CouldNotRun, reason ByAgentMissing.
type MissingAgentError struct {
	Agent string // its name; of a command, the program's
	What  string // what is wrong
	Hint  string // how to get it
}

func (e *MissingAgentError) Error() string { return e.What }

// HeldError says that another run is live in the work tree.
type HeldError struct {
	Run   string // its name; empty: it is just starting
	PID   int
	Host  string
	Since time.Time // when it was started
	err   error
}

func (e *HeldError) Error() string { return e.err.Error() }
func (e *HeldError) Unwrap() error { return e.err }

// NotFoundError says that there is no such run, or no such iteration or attempt of
// it.
type NotFoundError struct {
	Run  string   // that was asked for; empty: any; of an iteration, such as "build-7/3"
	Near []string // runs that may have been meant, the latest first
	err  error
}

func (e *NotFoundError) Error() string { return e.err.Error() }
func (e *NotFoundError) Unwrap() error { return e.err }

// UnreadableError says that a run is there and cannot be read: it is damaged, or
// a later version has written it.
type UnreadableError struct {
	Run   string // its name, where a list of runs has met it
	Newer bool   // a later version has
	err   error
}

func (e *UnreadableError) Error() string { return e.err.Error() }
func (e *UnreadableError) Unwrap() error { return e.err }

// PanicError says that something which the program brought has panicked: an observer,
// an agent or its decoder, a gate, a rule, a hook or a completion check. To call
// runtime.Goexit, as t.FailNow of a test does, is taken the same way. The run has
// ended as CouldNotRun, its agent with it, and can be resumed; when it was over
// already, its end stands, and when it had not begun, there is none.
type PanicError struct {
	Who   string // in words: "an observer"
	Value any    // what it panicked with; nil: it called runtime.Goexit
	Stack []byte // where
}

func (e *PanicError) Error() string {
	if e.Value == nil {
		return e.Who + " called runtime.Goexit, as t.FailNow does, and did not come back"
	}
	return fmt.Sprintf("%s panicked: %v", e.Who, e.Value)
}

// RefusedError says that a run did not take a wish.
type RefusedError struct {
	Command string // pause, resume, stop, stop_now, skip, reboot, note, approve or raise
	State   Status // of the run then; empty: it never began
	Why     string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%s was refused: %s", e.Command, e.Why) }
