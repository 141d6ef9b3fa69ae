package proc

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of whoever loses its own below it. With
// that, and with a list of all processes, descent tells who belongs to us.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	if _, err := readEntry(os.Getpid()); err != nil {
		return fmt.Errorf("see which processes there are: %w", err)
	}
	return nil
}

// bereave is for systems on which only the group of a leader is known.
func (k *keeping) bereave(int) {}

// sweep ends the orphans that are ours to end, with all below them, and tells
// whom it saw. Before a time it only asks them to leave. Who forks meanwhile
// leaves a new orphan to us, so it is done when a later sweep sees nobody, or no
// child is left at all.
func (k *keeping) sweep(none bool, from time.Time) []entry {
	if none {
		return nil
	}
	if k.alone() && !time.Now().Before(from) {
		_ = unix.Kill(-1, unix.SIGKILL) // all at once, however fast they fork
	}
	// A process that forks and ends, again and again, is gone before the long
	// list is read. The short one catches it: a child of ours keeps its number
	// until we reap it.
	for _, pid := range orphans() {
		if e, err := readEntry(pid); err == nil && k.ours(e) {
			k.end(e, from)
		}
	}
	t, err := readTable()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	left := t.walk(self, func(e entry) bool {
		if e.parent == self {
			return k.ours(e)
		}
		return !k.stuck[e.ident] && !k.spared(e.pid)
	})
	for _, e := range left {
		k.end(e, from)
	}
	return left
}

// alone tells whether all other processes that the keeper can see are to end: those of
// its namespace.
func (k *keeping) alone() bool {
	return k.inside != nil && os.Getpid() == 1 && len(k.leaders) == 0 && len(k.spare) == 0
}

// sweepGroup ends who is still in the cgroup of a leader, and tells who that is.
// It finds those too whose descent and mark tell nothing.
func (k *keeping) sweepGroup(s sweep) (held []entry) {
	for _, pid := range s.group.membersBut(target{spare: k.spare}.spares) { // with all that they start
		if e, err := readEntry(pid); err == nil && !k.stuck[e.ident] {
			held = append(held, e)
			k.end(e, s.kill)
		}
	}
	if len(held) > 0 && len(k.spare) == 0 && !time.Now().Before(s.kill) {
		s.group.kill(nil) // all at once, however fast they fork
	}
	return held
}

// ours tells whether a child of the keeper is an orphan to be ended: one of a
// leader that has ended. While other leaders live, an orphan whose environment
// does not say where it comes from is let alone; the last sweep gets it.
func (k *keeping) ours(e entry) bool {
	if _, leads := k.leaders[e.pid]; leads || k.stuck[e.ident] || k.spared(e.pid) {
		return false
	}
	if len(k.leaders) == 0 {
		return true
	}
	env := environOf(e.pid)
	for _, l := range k.leaders {
		if slices.Contains(env, l.mark) {
			return false
		}
	}
	return slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, k.mark.child("")) })
}

// spared tells whether the process runs a program that may stay.
func (k *keeping) spared(pid int) bool {
	return len(k.spare) > 0 && slices.Contains(k.spare, program(pid))
}

// killTree ends a leader and all below it, but for the spared.
func (k *keeping) killTree(pid int) {
	t, err := readTable()
	group(pid).signal("KILL")
	if err != nil {
		return // the sweep tries again
	}
	for _, e := range t.walk(pid, func(e entry) bool { return !k.spared(e.pid) }) {
		e.kill()
	}
}

// orphans lists the children of this process, quickly and as they are now. It
// is empty on a system that does not keep such a list.
func orphans() []int { return childrenOf(entry{ident: ident{pid: os.Getpid()}}) }
