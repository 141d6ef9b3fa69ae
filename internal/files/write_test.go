package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"first", "", "second"} {
		if err := Replace(path, []byte(text), 0o600, NoSync); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("it holds %q, %v; want %q", got, err, text)
		}
	}
	folder := filepath.Join(t.TempDir(), "folder")
	write(t, filepath.Join(folder, "x"), "x")
	if err := Replace(folder, nil, 0o600, NoSync); err == nil {
		t.Error("Replace took a folder for a file")
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(folder)} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for range 2 {
		f, err := Append(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("x")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "xx" {
		t.Errorf("it holds %q, %v", got, err)
	}
	var other *NotRegularError
	if _, err := Append(t.TempDir(), 0o600); !errors.As(err, &other) {
		t.Errorf("Append to a folder = %v, want a NotRegularError", err)
	}
}

func TestWhatCannotBeWrittenReplacesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Replace(path, []byte("old"), 0o644, SyncName); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no more words")
	err := ReplaceWith(path, 0o644, SyncFile, func(w io.Writer) error {
		_, _ = io.WriteString(w, "ne")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("ReplaceWith = %v", err)
	}
	if b, err := os.ReadFile(path); string(b) != "old" || err != nil {
		t.Errorf("there is %q, %v", b, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); len(entries) != 1 || err != nil {
		t.Errorf("left beside it: %v, %v", entries, err)
	}
}
