package proc

import "os"

// isKeeper tells whether the process keeps what a live runner has started. Who
// only says so, with arguments that look like a keeper's, is none: it must
// execute this program, and have been started by it.
func isKeeper(pid int) bool {
	if _, ok := keeperMark(pid); !ok {
		return false
	}
	e, err := readEntry(pid)
	return err == nil && executesThis(e.parent)
}

// keeperMark is the mark that a keeper was started with. It knows one whose
// runner is dead, too; the arguments alone prove nothing.
func keeperMark(pid int) (mark Mark, ok bool) {
	argv := argvOf(pid)
	if len(argv) < 5 || argv[1] != helperWord || argv[2] != keeperName && argv[2] != wardenName || !executesThis(pid) {
		return Mark{}, false
	}
	return Mark{Run: argv[3], Runner: argv[4]}, true
}

// isWarden tells a keeper's warden from a keeper.
func isWarden(pid int) bool {
	argv := argvOf(pid)
	return len(argv) > 2 && argv[2] == wardenName
}

// executesThis tells whether a process executes the same file as this one.
func executesThis(pid int) bool {
	ours, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	theirs, err := os.Stat(procFile(pid, "exe"))
	return err == nil && os.SameFile(ours, theirs)
}
