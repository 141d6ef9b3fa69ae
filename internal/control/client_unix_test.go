//go:build unix

package control

import (
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// A process that is stopped still has its socket: the system takes the connection,
// and nobody reads it.
func TestARunThatDoesNotAnswerIsNotWaitedFor(t *testing.T) {
	hasten(t)
	path := filepath.Join(shortDir(t), "s.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Dial(path).Do(t.Context(), Command{Command: Stop}); !errors.Is(err, ErrSilent) {
		t.Errorf("Do = %v, want that the run does not answer", err)
	}
	if _, err := Dial(path).Run(t.Context()); !errors.Is(err, ErrSilent) {
		t.Errorf("Run = %v, want the same", err)
	}
}

// hasten makes the client impatient for one test.
func hasten(t *testing.T) {
	t.Helper()
	again, quiet := askAgain, maxQuiet
	t.Cleanup(func() { askAgain, maxQuiet = again, quiet })
	askAgain, maxQuiet = 10*time.Millisecond, 100*time.Millisecond
}
