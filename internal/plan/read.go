package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxSize is the largest file that is read as a plan. An agent may put
// anything in its place.
const maxSize = 4 << 20

// Read reads the plan in a file. The error is a *MissingError when it is not
// there or cannot be read, and an *EmptyError when it has no tasks.
func Read(path string) (Tasks, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, &MissingError{Path: path, Err: err}
	}
	tasks := Parse(text)
	if len(tasks) == 0 {
		return nil, &EmptyError{Path: path}
	}
	return tasks, nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait for a writer
		return nil, errors.New("it is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("it is larger than %d MB", maxSize>>20)
	}
	return text, nil
}

// MissingError says that there is no plan to read.
type MissingError struct {
	Path string
	Err  error
}

func (e *MissingError) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("plan %s is missing", e.Path)
	}
	cause := e.Err
	var path *fs.PathError
	if errors.As(cause, &path) { // it names the file again
		cause = path.Err
	}
	return fmt.Sprintf("plan %s cannot be read: %v", e.Path, cause)
}

func (e *MissingError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *MissingError) Hint() string {
	return fmt.Sprintf("write the tasks into %s, one a line, as in %q; or name another file with --plan", e.Path, exampleTask)
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
