package proc

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// target is who is to be ended.
type target struct {
	match func(pid int, env []string) bool
	spare []string // programs that are let live, with all that they start
}

// is tells whether a process with this environment is among them.
func (t target) is(pid int, env []string) bool { return t.match(pid, env) && !t.spares(pid) }

// spares tells whether the process, or one that it descends from, is to live. Who
// we descend from ourselves, such as the terminal that we run in, spares nobody.
func (t target) spares(pid int) bool {
	if len(t.spare) == 0 {
		return false
	}
	ours := lineage()
	for seen := 0; pid > 1 && seen < 1000 && !slices.Contains(ours, pid); seen++ {
		if slices.Contains(t.spare, program(pid)) {
			return true
		}
		e, err := readEntry(pid)
		if err != nil {
			return false
		}
		pid = e.parent
	}
	return false
}

// killMarked kills all that match, with all that descend from them, until none is
// left. Keepers of other runs are let alone: theirs is to end what they keep, and
// they are gone soon after their runner. Neither is this process among them, nor
// whoever it descends from.
func killMarked(ctx context.Context, who target) (ended int, err error) {
	killed, strangers := map[ident]bool{}, map[int]bool{}
	for deadline := time.Now().Add(ladder.patience); ; {
		// Looking at everyone takes longer than some live that fork and end,
		// again and again. Looking at newcomers only does not.
		for quiet := 0; quiet < 10 && time.Now().Before(deadline); quiet++ {
			if killNew(who, strangers, killed) {
				quiet = 0
			}
		}
		found, err := findMarked(who)
		if err != nil || len(found) == 0 {
			return len(killed), err
		}
		for _, e := range found {
			killed[e.ident] = true
			e.kill()
		}
		if time.Now().After(deadline) {
			return len(killed), fmt.Errorf("process %d (%s) does not end", found[0].pid, program(found[0].pid))
		}
		if err := rest(ctx); err != nil {
			return len(killed), err
		}
	}
}

// killNew kills who matches and was not killed before. It tells whether there
// was anybody.
func killNew(who target, strangers map[int]bool, killed map[ident]bool) bool {
	pids, err := readPids()
	if err != nil {
		return false
	}
	before := len(killed)
	for _, pid := range slices.Backward(pids) { // the newest first: it may be gone soonest
		if strangers[pid] || pid == os.Getpid() {
			continue
		}
		env := environOf(pid)
		e, err := readEntry(pid)
		switch {
		case err != nil || killed[e.ident]:
		case who.is(pid, env) && !isKeeper(pid) && !slices.Contains(lineage(), pid):
			killed[e.ident] = true
			e.kill()
		case len(env) > 0 || e.kernel: // who is in the middle of an exec has none
			strangers[pid] = true
		}
	}
	return len(killed) > before
}

// lineage is this process and whoever it descends from.
func lineage() []int {
	var pids []int
	for pid := os.Getpid(); pid != 0; {
		pids = append(pids, pid)
		e, err := readEntry(pid)
		if err != nil || slices.Contains(pids, e.parent) {
			break
		}
		pid = e.parent
	}
	return pids
}

// findMarked lists who matches and who descends from them.
func findMarked(who target) ([]entry, error) {
	t, err := readTable()
	if err != nil {
		return nil, err
	}
	spared := map[int]bool{}
	for _, pid := range lineage() {
		spared[pid] = true
	}
	var found []entry
	add := func(e entry) bool {
		if spared[e.pid] || isKeeper(e.pid) || who.spares(e.pid) {
			return false
		}
		spared[e.pid] = true // is listed once
		found = append(found, e)
		return true
	}
	for _, e := range t.all {
		if !spared[e.pid] && who.is(e.pid, environOf(e.pid)) && add(e) {
			t.walk(e.pid, add)
		}
	}
	return found, nil
}

func rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pause):
		return nil
	}
}

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

// executesThis tells whether a process executes the same file as this one.
func executesThis(pid int) bool {
	ours, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	theirs, err := os.Stat(procFile(pid, "exe"))
	return err == nil && os.SameFile(ours, theirs)
}
