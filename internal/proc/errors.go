package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

// StartError says that a program could not be started.
type StartError struct {
	Program string
	Err     error
}

func (e *StartError) Error() string {
	if e.Program == "" {
		return "start a process: " + e.Err.Error()
	}
	return fmt.Sprintf("start %s: %v", e.Program, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// Missing tells whether there is no such program, rather than one that cannot
// be executed.
func (e *StartError) Missing() bool {
	return errors.Is(e.Err, exec.ErrNotFound) || errors.Is(e.Err, fs.ErrNotExist)
}

// KeeperError says that a process was lost with its keeper, which somebody has
// ended or stopped. Nothing is known of the process but that it is dead, and it
// is not to blame: it may have done all of its work, or none.
type KeeperError struct {
	Program string
	How     string // what happened to the keeper, as in "it was killed"
}

func (e *KeeperError) Error() string {
	return fmt.Sprintf("the keeper of the processes %s, and %s was ended with it", e.How, e.Program)
}

// FenceError says that nothing was started, for the fence around it can not be
// raised.
type FenceError struct {
	Kind fence.Kind
	Err  error
}

func (e *FenceError) Error() string {
	var said *fence.Error
	if errors.As(e.Err, &said) {
		return e.Err.Error()
	}
	return fmt.Sprintf("sandbox %s: %v", e.Kind, e.Err)
}

func (e *FenceError) Unwrap() error { return e.Err }

// Unkept is the key of a warning after which nobody can be sure that all of a
// run's processes have ended: only who carries its mark was found.
const Unkept = loop.UnkeptKey
