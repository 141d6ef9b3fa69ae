package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "PLAN.md")
	write(t, path, "- [ ] a\n")
	tasks, err := Read(files.Anywhere(path))
	if err != nil || len(tasks) != 1 {
		t.Errorf("Read = %+v, %v; want one task", tasks, err)
	}
}

func TestReadNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "PLAN.md")
	_, err := Read(files.Anywhere(path))
	var missing *MissingError
	if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Read = %v, want a *MissingError", err)
	}
	if got, want := err.Error(), "plan "+path+" is missing"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if !strings.Contains(missing.Hint(), exampleTask) {
		t.Errorf("hint %q does not show a task", missing.Hint())
	}
	usually := &MissingError{Path: filepath.Join("x", usual)}
	if got := usually.Hint(); !strings.HasPrefix(got, `run "refrain plan" first`) {
		t.Errorf("hint %q for the plan that a command writes, which it should name", got)
	}
}

func TestReadWhatIsNoPlan(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.md")
	write(t, large, "- [x] a\n"+strings.Repeat(" ", maxSize))
	for path, want := range map[string]string{os.DevNull: "it is a device, not a file", large: "larger than 4 MB"} {
		_, err := Read(files.Anywhere(path))
		var missing *MissingError
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v, want a *MissingError that says %q", path, err, want)
		}
	}
}

func TestReadWithoutTasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "PLAN.md")
	write(t, path, "# Plan\n\n```\n- [x] a\n```\n")
	_, err := Read(files.Anywhere(path))
	var empty *EmptyError
	if !errors.As(err, &empty) {
		t.Fatalf("Read = %v, want an *EmptyError", err)
	}
	if !strings.Contains(empty.Hint(), exampleTask) {
		t.Errorf("hint %q does not show a task", empty.Hint())
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
