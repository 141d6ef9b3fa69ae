package proc

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Others lists the processes that execute a program, or one whose name begins
// with its name and a dash, are in one of the folders or below, and were there
// at a time. known is false on a system that cannot tell.
func Others(name string, folders []string, at time.Time) (pids []int, known bool) {
	all, err := readPids()
	boot, bootErr := bootTime()
	if err != nil || bootErr != nil {
		return nil, false
	}
	for _, pid := range all {
		if exe := program(pid); exe != name && !strings.HasPrefix(exe, name+"-") {
			continue
		}
		e, err := readEntry(pid)
		if err != nil || e.ended() || boot.Add(time.Duration(e.started)*tick).After(at.Add(startSlack)) {
			continue
		}
		if dir, err := workDir(pid); err == nil && belowAny(dir, folders) {
			pids = append(pids, pid)
		}
	}
	return pids, true
}

// startSlack is how much later than it was a start may seem: it is told in ticks,
// and the times of files are no finer.
const startSlack = 3 * tick

// bootTime is when the system came up.
func bootTime() (time.Time, error) {
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up); err != nil {
		return time.Time{}, os.NewSyscallError("clock_gettime", err)
	}
	return time.Now().Add(-time.Duration(up.Nano())), nil
}

func belowAny(dir string, folders []string) bool {
	for _, folder := range folders {
		if rel, err := filepath.Rel(folder, dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
