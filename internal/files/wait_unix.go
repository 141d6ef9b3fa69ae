//go:build unix

package files

import "syscall"

// NoWait is a flag to open a named pipe without waiting for its other end: a file
// may become one between the look at it and the opening.
const NoWait = syscall.O_NONBLOCK
