package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"first", "", "second"} {
		if err := Replace(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("it holds %q, %v; want %q", got, err, text)
		}
	}
	folder := filepath.Join(t.TempDir(), "folder")
	write(t, filepath.Join(folder, "x"), "x")
	if err := Replace(folder, nil, 0o600); err == nil {
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
