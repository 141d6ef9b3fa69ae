package files

import (
	"errors"
	"fmt"
	"io/fs"
)

// NotRegularError says that there is something else where a file should be.
type NotRegularError struct{ Mode fs.FileMode }

func (e *NotRegularError) Error() string { return "it is " + e.Kind() + ", not a file" }

// Kind says what it is.
func (e *NotRegularError) Kind() string {
	switch {
	case e.Mode.IsDir():
		return "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case e.Mode&fs.ModeDevice != 0:
		return "a device"
	case e.Mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something else"
}

// TooLargeError says that a file has more bytes than its reader takes.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string { return "it is larger than " + e.Size() }

// Size is the limit in words.
func (e *TooLargeError) Size() string {
	n := e.Limit
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// OutsideError says that a link leads out of the tree in which it was found.
type OutsideError struct{}

func (e *OutsideError) Error() string { return "it is a link that leads out of the tree" }

// Ignoring is an error unless it was expected.
func Ignoring(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// Cause is why something failed, without the path, which is said already.
func Cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
