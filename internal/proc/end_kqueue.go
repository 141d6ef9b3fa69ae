//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitEnd returns when the process has ended, and leaves it to be reaped. It
// does not ask waitid, which on macOS also returns for a stopped process.
func awaitEnd(p *os.Process) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return os.NewSyscallError("kqueue", err)
	}
	defer unix.Close(queue)

	var watch unix.Kevent_t
	unix.SetKevent(&watch, p.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	watch.Fflags = unix.NOTE_EXIT
	changes, events := []unix.Kevent_t{watch}, make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(queue, changes, events, nil)
		switch {
		case err == unix.EINTR:
			changes = nil // it is registered before the wait
		case err == unix.ESRCH:
			return nil // it had ended already
		case err != nil:
			return os.NewSyscallError("kevent", err)
		case n > 0:
			return nil
		}
	}
}
