package proc

import (
	"fmt"
	"slices"
)

// Left lists the processes that carry the mark of a run in a work tree, with all
// that descend from them, each as its program and its id. It ends nothing. Who
// has taken its mark away is not found.
func Left(spare []string, tree, run string) ([]string, error) {
	found, err := findMarked(prey{spare: spare, match: litter{tree: tree, runs: []string{run}}.has})
	if err != nil {
		return nil, err
	}
	list := []string{} // never nil: somebody has looked
	for _, e := range found {
		list = append(list, fmt.Sprintf("%s (pid %d)", program(e.pid), e.pid))
	}
	slices.Sort(list)
	return list, nil
}

// Descends tells whether a process is another one, or descends from it. One that
// is gone is taken to.
func Descends(pid, root int) bool {
	for seen := 0; pid > 1 && seen < 1000; seen++ {
		if pid == root {
			return true
		}
		e, err := readEntry(pid)
		if err != nil {
			return true // who is gone before it is looked at has something to hide
		}
		pid = e.parent
	}
	return false
}
