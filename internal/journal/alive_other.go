//go:build !linux

package journal

import (
	"errors"
	"os"
	"syscall"
)

// alive tells whether a process of this machine is there, as far as can be told.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
