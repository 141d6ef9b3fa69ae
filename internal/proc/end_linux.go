package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitEnd returns when the process has ended, and leaves it to be reaped.
func awaitEnd(p *os.Process) error {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return os.NewSyscallError("waitid", err)
		}
	}
}
