package prompt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Source is where a prompt of one piece comes from: a text, or a file that is
// read anew for every iteration, so that an edit takes effect on the next one.
type Source struct {
	Text string
	Path string // as the user wrote it; when set, Text is not used
	Dir  string // what a relative Path is relative to
}

// usual is the prompt that "refrain init" writes.
const usual = "PROMPT.md"

// mark is how some editors begin a file.
const mark = "\uFEFF"

// Read gives the text as it is now. An empty or unreadable one is an *Error.
func (s Source) Read() (string, error) {
	text, err := s.load()
	if err == nil && blank(text) {
		return "", empty(s.Path)
	}
	return text, err
}

// load gives the text as it is now, an empty one too.
func (s Source) load() (string, error) {
	text := s.Text
	if s.Path != "" {
		b, err := os.ReadFile(s.file())
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
	info, statErr := os.Stat(s.file())
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Path == usual:
		e.What, e.Hint = "is missing", `run "refrain init", or pass -p TEXT or -F FILE`
	case errors.Is(err, fs.ErrNotExist):
		e.What, e.Hint = "is missing", "write it, or pass -p TEXT or -F FILE"
	case statErr == nil && info.IsDir():
		e.What, e.Hint = "is a folder", "name a file, or pass -p TEXT"
	case errors.Is(err, fs.ErrPermission):
		e.What, e.Hint = "may not be read", "give yourself the right to read it"
	default:
		e.What, e.Hint = "cannot be read: "+cause(err), "name another file, or pass -p TEXT"
	}
	return e
}

// cause leaves out the path, which the message has already.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
