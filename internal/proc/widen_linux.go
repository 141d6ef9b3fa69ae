package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// widenPipe has a pipe hold size bytes, if the system lets us.
func widenPipe(f *os.File, size int) {
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size) })
	}
}
