package proc

import (
	"bytes"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// readBelow is a table of one process and of all that descend from it. Each is asked
// for its children, so what that takes does not depend on who else is on the machine.
// Where the system keeps no lists of children, all processes are read.
func readBelow(root int) (table, error) {
	if !listsChildren() {
		return readTable()
	}
	first, err := readEntry(root)
	if err != nil {
		return table{}, err
	}
	list, seen := []entry{first}, map[int]bool{root: true} // a child may change hands meanwhile, and be told twice
	for i := 0; i < len(list); i++ {
		for _, pid := range childrenOf(list[i]) {
			if seen[pid] {
				continue
			}
			seen[pid] = true
			if e, err := readEntry(pid); err == nil { // else it has just ended
				list = append(list, e)
			}
		}
	}
	return newTable(list), nil
}

// listsChildren tells whether this system keeps lists of children. Some are built
// without.
var listsChildren = sync.OnceValue(func() bool {
	pid := os.Getpid()
	return unix.Access(childrenFile(pid, strconv.Itoa(pid)), unix.R_OK) == nil
})

func childrenFile(pid int, thread string) string { return procFile(pid, "task/"+thread+"/children") }

// childrenOf lists the children of a process, those of each of its threads. It is
// empty when the process has ended.
func childrenOf(e entry) (found []int) {
	threads := []string{strconv.Itoa(e.pid)}
	if !e.single {
		threads = namesIn(procFile(e.pid, "task"))
	}
	for _, thread := range threads {
		words, err := readProc(childrenFile(e.pid, thread))
		if err != nil {
			continue
		}
		for word := range bytes.FieldsSeq(words) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}
