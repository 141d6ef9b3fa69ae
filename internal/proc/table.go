package proc

import (
	"os"
	"time"
)

// ident tells a process from a later one with the same number.
type ident struct {
	pid     int
	started uint64 // in ticks since the system came up
}

// entry is one process as the system lists it.
type entry struct {
	ident
	parent int
	state  byte          // a letter, as the system has it
	cpu    time.Duration // of itself and of those it has waited for
	kernel bool          // a thread of the system's own
	single bool          // it has one thread
}

// ended tells whether the process only waits for its parent to take note.
func (e entry) ended() bool { return e.state == 'Z' || e.state == 'X' }

// hasEnded tells whether a child of ours has ended and is not reaped yet. Where
// the system does not tell, it is no.
func hasEnded(pid int) bool {
	e, err := readEntry(pid)
	return err == nil && e.ended()
}

// stopped tells whether somebody holds the process: with a signal, or as one
// that is debugged.
func (e entry) stopped() bool { return e.state == 'T' || e.state == 't' }

// Stopped tells whether somebody holds a process. Where the system does not tell,
// it is no.
func Stopped(pid int) bool {
	e, err := readEntry(pid)
	return err == nil && e.stopped()
}

// table is every process at one moment, or nearly so.
type table struct {
	all      map[int]entry
	children map[int][]int
}

// below lists all that descend from pid, parents first, without pid itself.
func (t table) below(pid int) []entry {
	return t.walk(pid, func(entry) bool { return true })
}

// walk lists those below pid for which want is true. Who is not wanted is left
// out together with all that descend from it.
func (t table) walk(pid int, want func(entry) bool) []entry {
	var found []entry
	seen := map[int]bool{pid: true} // numbers can be reused while the table is read
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		for _, child := range t.children[next[0]] {
			if seen[child] || !want(t.all[child]) {
				continue
			}
			seen[child] = true
			found = append(found, t.all[child])
			next = append(next, child)
		}
	}
	return found
}

// kill ends exactly this process, and not one that has its number by now.
func (e entry) kill() { e.signal(os.Kill) }

// signal sends to exactly this process.
func (e entry) signal(s os.Signal) {
	p, err := os.FindProcess(e.pid) // holds on to the process, where the system can
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if now, err := readEntry(e.pid); err == nil && now.ident == e.ident {
		_ = p.Signal(s)
	}
}
