//go:build unix

package files

import "syscall"

// noWait opens a named pipe without waiting for its other end: a file may become
// one between the look at it and the opening.
const noWait = syscall.O_NONBLOCK
