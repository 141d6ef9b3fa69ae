package files

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestNoSpace(t *testing.T) {
	for err, want := range map[error]bool{
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}:                true,
		fmt.Errorf("make a clean checkout: %w", syscall.ENOSPC):                   true,
		errors.New("git: error: unable to write file a: No space left on device"): true,
		errors.New("git: fatal: not a tree object"):                               false,
	} {
		if got := NoSpace(err); got != want {
			t.Errorf("NoSpace(%v) = %v, want %v", err, got, want)
		}
	}
	if NoSpace(nil) {
		t.Error("nothing went wrong, and the disk is full")
	}
}
