package proc

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// prey is who is to be ended.
type prey struct {
	match func(pid int, env []string) bool
	spare []string // programs that are let live, with all that they start
}

// is tells whether a process with this environment is prey.
func (p prey) is(pid int, env []string) bool { return p.match(pid, env) && !p.spares(pid) }

// spares tells whether the process, or one that it descends from, is to live. Who
// we descend from ourselves, such as the terminal that we run in, spares nobody.
func (p prey) spares(pid int) bool {
	if len(p.spare) == 0 {
		return false
	}
	ours := lineage()
	for seen := 0; pid > 1 && seen < 1000 && !slices.Contains(ours, pid); seen++ {
		if slices.Contains(p.spare, program(pid)) {
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

// hunt kills all that match, with all that descend from them, until none is
// left. Keepers of other runs are let alone: theirs is to end what they keep, and
// they are gone soon after their runner. Neither is this process among the prey, nor
// whoever it descends from.
func hunt(ctx context.Context, p prey) (ended int, err error) {
	killed, strangers := map[ident]bool{}, map[int]bool{}
	for deadline := time.Now().Add(ladder.patience); ; {
		// Looking at everyone takes longer than some live that fork and end,
		// again and again. Looking at newcomers only does not.
		for quiet := 0; quiet < 10 && time.Now().Before(deadline); quiet++ {
			if killNew(p, strangers, killed) {
				quiet = 0
			}
		}
		found, err := findMarked(p)
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
func killNew(p prey, strangers map[int]bool, killed map[ident]bool) bool {
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
		case p.is(pid, env) && !isKeeper(pid) && !slices.Contains(lineage(), pid):
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
func findMarked(p prey) ([]entry, error) {
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
		if spared[e.pid] || isKeeper(e.pid) || p.spares(e.pid) {
			return false
		}
		spared[e.pid] = true // is listed once
		found = append(found, e)
		return true
	}
	for _, e := range t.all {
		if !spared[e.pid] && p.is(e.pid, environOf(e.pid)) && add(e) {
			t.walk(e.pid, add)
		}
	}
	return found, nil
}

// awaitKeepers waits for the keepers of earlier runners, and ends those that
// do not end by themselves. Their wardens come last, for they end what a dead
// keeper kept.
func awaitKeepers(ctx context.Context, l litter) error {
	for began := time.Now(); ; {
		t, err := readTable()
		if err != nil {
			return err
		}
		waited, left := time.Since(began), 0
		for _, e := range t.all {
			if mark, ok := keeperMark(e.pid); !ok || !l.kept(mark) || e.ended() {
				continue
			}
			left++
			if waited > 2*ladder.patience || waited > ladder.patience && !isWarden(e.pid) {
				e.kill()
			}
		}
		if left == 0 {
			return nil
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

func rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pause):
		return nil
	}
}

// endAbandoned ends who is left in the cgroups of such runs, even who has lost its
// mark, and tells how many that were.
func endAbandoned(l litter, spare []string) (ended int) {
	ended, _ = endCgroups(cgroupsOf(cgroupRoot(), l.kept), spare)
	return ended
}
