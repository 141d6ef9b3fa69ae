package fleet

import "github.com/refrain-loop/refrain/internal/loop"

// UnknownError says that there is nothing of that name.
type UnknownError struct{ What, Do string }

func (e *UnknownError) Error() string { return e.What }

// Hint says what to do.
func (e *UnknownError) Hint() string { return e.Do }

// ExistsError says that a name is taken.
type ExistsError struct{ Run string }

func (e *ExistsError) Error() string { return "a run called " + e.Run + " is under way already" }

// Hint says what to do.
func (e *ExistsError) Hint() string {
	return "look at it with \"refrain fleet show " + e.Run + "\"; or take another name: --name"
}

// OverError says that nobody can tell a run anything any more.
type OverError struct {
	Run   string
	State loop.Status
}

func (e *OverError) Error() string { return e.Run + " is over: " + string(e.State) }

// Hint says what to do.
func (e *OverError) Hint() string {
	return "look at it with \"refrain fleet show " + e.Run + "\"; to have more done, submit a new run"
}

// UnreachableError says that no server answers.
type UnreachableError struct {
	Address string
	Err     error
}

func (e *UnreachableError) Error() string {
	return "no fleet server answers at " + e.Address + ": " + e.Err.Error()
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *UnreachableError) Hint() string {
	return "start one, or say where it is with fleet.address; runs on this machine need none: refrain run"
}

// ServerError says that a server, or what we know of it, is not such that it can be
// worked with.
type ServerError struct {
	What, Do string
	Err      error // nil: What says it all
}

func (e *ServerError) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

func (e *ServerError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *ServerError) Hint() string { return e.Do }

// SilentError says that the server is there, and nobody who does what it says.
type SilentError struct{ What, Do string }

func (e *SilentError) Error() string { return e.What }

// Hint says what to do.
func (e *SilentError) Hint() string { return e.Do }

// WrongError says that what was asked for makes no sense.
type WrongError struct{ What, Do string }

func (e *WrongError) Error() string { return e.What }

// Hint says what to do.
func (e *WrongError) Hint() string { return e.Do }
