//go:build unix

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// pipe puts a named pipe in the place of a file.
func pipe(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAPipeInTheFolderOfARunIsNotWaitedFor(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	r.Append(at(1, 1, 1, &loop.AgentText{Text: "hello"}))
	a := r.Attempt(1, 1)
	a.WriteFeedback([]string{"x"})
	r.Close()
	for _, file := range []string{feedbackName, changesName, stdoutName, stderrName, eventsName} {
		pipe(t, filepath.Join(a.Dir(), file))
	}
	if got := a.ReadFeedback(); got != nil {
		t.Errorf("ReadFeedback = %q", got)
	}
	var other *files.NotRegularError
	_, changes := ReadChanges(a.Dir())
	_, stdout := a.OpenStdout()
	_, stderr := a.OpenStderr()
	_, said := collect(AttemptEvents(a.Dir()))
	for act, err := range map[string]error{"ReadChanges": changes, "OpenStdout": stdout, "OpenStderr": stderr, "AttemptEvents": said} {
		if !errors.As(err, &other) {
			t.Errorf("%s = %v, want a NotRegularError", act, err)
		}
	}
	for _, file := range []string{journalName, metaName} {
		pipe(t, filepath.Join(r.Dir(), file))
		_, loaded := s.Load("build-1")
		_, _, resumed := s.Resume("build-1")
		_, read := collect(s.Events("build-1", 0))
		for act, err := range map[string]error{"Load": loaded, "Resume": resumed, "Events": read} {
			if !errors.As(err, &other) {
				t.Errorf("%s with a pipe as %s = %v, want a NotRegularError", act, file, err)
			}
		}
	}
}

func TestAPipeInThePlaceOfTheLockIsNotWaitedFor(t *testing.T) {
	s := newStore(t)
	l, err := s.Lock(Holder{PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	pipe(t, s.lockPath())
	var other *files.NotRegularError
	if err := l.Unlock(); !errors.As(err, &other) {
		t.Errorf("Unlock = %v, want a NotRegularError", err)
	}
	if h, held := s.Holder(); held {
		t.Errorf("Holder = %+v, and nobody can hold a pipe", h)
	}
	if _, err := s.Lock(Holder{PID: os.Getpid()}); !errors.As(err, &other) {
		t.Errorf("Lock = %v, want a NotRegularError", err)
	}
}

func TestAPipeInThePlaceOfGitIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe(t, filepath.Join(dir, ".git"))
	var other *files.NotRegularError
	if _, err := Open(dir); !errors.As(err, &other) {
		t.Errorf("Open = %v, want a NotRegularError", err)
	}
}
