package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAProgramThatCannotStartIsAnError(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		argv    []string
		is      error
		missing bool
		skip    bool
	}{
		{"not in the PATH", []string{"refrain-no-such-program"}, exec.ErrNotFound, true, false},
		{"no such file", []string{filepath.Join(dir, "missing")}, fs.ErrNotExist, true, false},
		{"not executable", []string{plain}, fs.ErrPermission, false, runtime.GOOS == "windows"},
		{"empty", nil, nil, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.skip {
				t.Skip("not known to this system")
			}
			_, err := Run(t.Context(), Spec{Argv: tt.argv})
			var start *StartError
			if !errors.As(err, &start) {
				t.Fatalf("Run(%q) = %v, want a StartError", tt.argv, err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("Run(%q) = %v, want one that is %v", tt.argv, err, tt.is)
			}
			if start.Missing() != tt.missing {
				t.Errorf("Missing() = %v, want %v", start.Missing(), tt.missing)
			}
			if len(tt.argv) > 0 && strings.Count(err.Error(), tt.argv[0]) != 1 {
				t.Errorf("%q should name the program once", err)
			}
		})
	}
}

func TestAMissingFolderIsNotAMissingProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(t.TempDir(), "gone"), file} {
		s := helperSpec(t, "exit", "0")
		s.Dir = dir
		_, err := Run(t.Context(), s)
		var start *StartError
		if err == nil || errors.As(err, &start) || !strings.Contains(err.Error(), dir) {
			t.Errorf("Run in %s = %v, want an error that names the folder", dir, err)
		}
	}
}
