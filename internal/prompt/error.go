package prompt

import "fmt"

// Error is a prompt that cannot be had.
type Error struct {
	Path string // of the file, or the name of a text that was given directly; may be empty
	Line int    // where in it; 0 when it is all of it
	What string // what is wrong
	Hint string // what to do about it
	Err  error  // the cause, if the system named one
}

func (e *Error) Error() string {
	switch {
	case e.Line > 0 && e.Path == "":
		return fmt.Sprintf("line %d of the prompt: %s", e.Line, e.What)
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.What)
	case e.Path == "":
		return "no prompt: the text " + e.What
	}
	return "no prompt: " + e.Path + " " + e.What
}

func (e *Error) Unwrap() error { return e.Err }
