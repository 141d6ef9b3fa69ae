//go:build unix

package engine

import (
	"syscall"
	"testing"
)

// A named pipe would have its reader wait for ever.
func TestADiaryIsNotWaitedFor(t *testing.T) {
	d := newDesk(t, "s")
	if err := syscall.Mkfifo(d.path("a/s.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.want()
}
