package prompt

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/files"
)

// Source is where a prompt of one piece comes from: a text, or a file that is
// read anew for every iteration, so that an edit takes effect on the next one.
type Source struct {
	Text string
	Path string // as the user wrote it; when set, Text is not used
	Dir  string // what a relative Path is relative to
}

// usual is the prompt of who names no other.
const usual = "PROMPT.md"

// mark is how some editors begin a file.
const mark = "\uFEFF"

// Read gives the text as it is now. An empty or unreadable one is an *Error.
func (s Source) Read() (string, error) { return s.read(context.Background()) }

func (s Source) read(ctx context.Context) (string, error) {
	text, err := s.load(ctx)
	if err == nil && blank(text) {
		return "", empty(s.Path)
	}
	return text, err
}

// load gives the text as it is now, an empty one too.
func (s Source) load(ctx context.Context) (string, error) {
	text := s.Text
	if s.Path != "" {
		b, err := s.bytes(ctx)
		if err != nil {
			return "", s.unreadable(err)
		}
		text = string(b)
	}
	if !utf8.ValidString(text) {
		return "", &Error{Path: s.Path, What: "is not valid UTF-8", Hint: "save it as UTF-8 text"}
	}
	return text, nil
}

// bytes reads the file. In the work tree an agent may have put anything in its
// place; elsewhere it is the user's own, wherever it leads.
func (s Source) bytes(ctx context.Context) ([]byte, error) {
	if s.Dir != "" && filepath.IsLocal(s.Path) {
		return files.Read(ctx, s.Dir, s.Path, maxIncluded)
	}
	return files.ReadFile(ctx, s.file(), maxIncluded)
}

func blank(text string) bool { return strings.TrimSpace(strings.TrimPrefix(text, mark)) == "" }

func empty(path string) *Error {
	return &Error{Path: path, What: "is empty", Hint: "say what the agent should do"}
}

func (s Source) file() string {
	if filepath.IsAbs(s.Path) {
		return s.Path
	}
	return filepath.Join(s.Dir, s.Path)
}

func (s Source) unreadable(err error) *Error {
	e := &Error{Path: s.Path, Err: err}
	var (
		other   *files.NotRegularError
		large   *files.TooLargeError
		outside *files.OutsideError
	)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Path == usual:
		e.What, e.Hint = "is missing", `run "refrain init" and say what is to be built, or pass -p TEXT or -F FILE`
	case errors.Is(err, fs.ErrNotExist):
		e.What, e.Hint = "is missing", "write it, or pass -p TEXT or -F FILE"
	case errors.As(err, &other) && other.Mode.IsDir():
		e.What, e.Hint = "is a folder", "name a file, or pass -p TEXT"
	case errors.As(err, &other):
		e.What, e.Hint = "is "+other.Kind()+", not a file", "put a file there, or pass -p TEXT or -F FILE"
	case errors.As(err, &large):
		e.What, e.Hint = "is larger than "+large.Size(), "say less, and let the agent read what it needs"
	case errors.As(err, &outside):
		e.What, e.Hint = "is a link that leads out of the work tree", "copy the file there, or name it by its own path"
	case errors.Is(err, fs.ErrPermission):
		e.What, e.Hint = "may not be read", "give yourself the right to read it"
	default:
		e.What, e.Hint = "cannot be read: "+files.Cause(err), "name another file, or pass -p TEXT"
	}
	return e
}
