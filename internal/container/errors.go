package container

import (
	"errors"
	"fmt"
	"strconv"
)

// Error says that there is no container to be had.
type Error struct {
	What   string
	Remedy string
	Err    error // nil: there is no more to say
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *Error) Hint() string { return e.Remedy }

// said is what a client complained about, else how it ended.
func said(complaint string, code int) error {
	if complaint == "" {
		return fmt.Errorf("exit status %d", code)
	}
	return errors.New(complaint)
}

func number(n int) string { return strconv.Itoa(n) }
