package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
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

// startError tells a missing folder from a missing program: for the kernel
// both are "no such file or directory".
func startError(s Spec, err error) error {
	var lost *KeeperError
	if errors.As(err, &lost) {
		return err // it says nothing of the program
	}
	if s.Dir != "" {
		if dirErr := checkDir(s.Dir); dirErr != nil {
			return fmt.Errorf("start %s in its folder: %w", s.Argv[0], dirErr)
		}
	}
	var lookup *exec.Error
	var path *fs.PathError
	switch { // these name the program again
	case errors.As(err, &lookup):
		err = lookup.Err
	case errors.As(err, &path):
		err = path.Err
	}
	return &StartError{Program: s.Argv[0], Err: err}
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return nil
}
