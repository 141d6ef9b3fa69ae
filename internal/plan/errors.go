package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// MissingError says that there is no plan to read.
type MissingError struct {
	Path string
	Err  error
}

func (e *MissingError) Error() string { return fmt.Sprintf("plan %s %s", e.Path, trouble(e.Err)) }

func (e *MissingError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *MissingError) Hint() string {
	if filepath.Base(e.Path) == usual {
		return fmt.Sprintf("run \"refrain plan\" first, or write the tasks yourself, one a line, as in %q", exampleTask)
	}
	return fmt.Sprintf("write the tasks into %s, one a line, as in %q; or name another file with --plan", e.Path, exampleTask)
}

// usual is the plan that "refrain plan" writes.
const usual = "IMPLEMENTATION_PLAN.md"

// PartError says that a file of the plan is missing or cannot be read. The
// tasks of the others would not be the plan.
type PartError struct {
	Plan string
	File string // below the plan's folder
	From string // the file with the link to it; empty when it was found in the folder
	Line int    // of the link
	Err  error
}

func (e *PartError) Error() string {
	if e.From == "" {
		return fmt.Sprintf("plan %s: its part %s %s", e.Plan, e.File, trouble(e.Err))
	}
	return fmt.Sprintf("plan %s: its part %s %s (linked in %s, line %d)", e.Plan, e.File, trouble(e.Err), e.From, e.Line)
}

func (e *PartError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *PartError) Hint() string {
	if e.From == "" {
		return fmt.Sprintf("make %s a file that can be read, or take it out of the plan's folder", e.File)
	}
	return fmt.Sprintf("put %s there, or take the link to it out of %s", e.File, e.From)
}

// trouble says what is wrong with a file.
func trouble(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "is missing"
	}
	return fmt.Sprintf("cannot be read: %v", cause(err))
}

// cause leaves out the path, which the message has already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// EmptyError says that a plan has no tasks. That is never a finished plan: the
// file may have been overwritten, or its tasks be written in another way.
type EmptyError struct{ Path string }

func (e *EmptyError) Error() string { return fmt.Sprintf("plan %s has no tasks", e.Path) }

// Hint says what to do about it.
func (e *EmptyError) Hint() string {
	return fmt.Sprintf("write each task as a list item with a box, as in %q; a done one has [x]", exampleTask)
}

const exampleTask = "- [ ] what to do"
