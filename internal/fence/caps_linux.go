package fence

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// rootMay are the capabilities that root keeps inside, as in most containers: enough
// to install and build. Without the others root can not get around the fence by the
// kernel, a disk, or the keeper's memory.
var rootMay = map[uintptr]bool{
	unix.CAP_CHOWN: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_FOWNER: true, unix.CAP_FSETID: true,
	unix.CAP_KILL: true, unix.CAP_SETGID: true, unix.CAP_SETUID: true, unix.CAP_SETPCAP: true, unix.CAP_SETFCAP: true,
	unix.CAP_NET_BIND_SERVICE: true, unix.CAP_NET_RAW: true, unix.CAP_SYS_CHROOT: true,
}

// renounce has whatever this thread starts gain no privileges, and root only keep
// the usual ones.
func renounce() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("renounce new privileges: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("renounce ambient capabilities: %w", err)
	}
	if unix.Geteuid() != 0 {
		return nil
	}
	for c := uintptr(0); ; c++ {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			return nil // that was the last
		}
		if err != nil || has == 0 || rootMay[c] {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return fmt.Errorf("renounce capability %d: %w", c, err)
		}
	}
}
