//go:build unix && !linux

package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// Here orphans go to the first process of the system, and nobody can say whose
// they were. The group of each leader is all that is known.

func adopt() error { return nil }

// bereave asks who is left in the group of a leader that has just been reaped to
// leave. The group keeps its number as long as somebody is in it.
func (k *keeping) bereave(pid int) {
	group(pid).signal("TERM")
	group(pid).signal("CONT")
	k.asked[ident{pid: pid}] = asking{}
}

// sweep ends who is left in such groups, from a time on, and tells which still
// have somebody in them.
func (k *keeping) sweep(_ bool, from time.Time) (left []entry) {
	for id := range k.asked {
		if unix.Kill(-id.pid, 0) != nil {
			delete(k.asked, id)
			continue
		}
		if !time.Now().Before(from) {
			group(id.pid).signal("KILL")
		}
		left = append(left, entry{ident: id})
	}
	return left
}

func (k *keeping) killTree(pid int) { group(pid).signal("KILL") }

func (k *keeping) sweepGroup(sweep) []entry { return nil }
