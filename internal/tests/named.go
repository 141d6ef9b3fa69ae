package tests

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// maxNamed is how many tests are kept by name. It is more than most projects
// have, and an output without end must not fill the memory.
const maxNamed = 20000

// names is the tests that a runner named, each once, in the order in which they
// came. A test that ended in several ways ended in the worst of them.
type names struct {
	list []Test
	at   map[string]int // where a name is in the list
	more bool           // one was left out
}

// put keeps a name.
func (n *names) put(name string, status Status) { n.timed(name, status, 0) }

// timed is put for a test of which it is known how long it took.
func (n *names) timed(name string, status Status, took time.Duration) {
	n.add(Test{Name: name, Status: status, Duration: took}, strings.Clone)
}

// own keeps a test whose name is in memory of its own already.
func (n *names) own(t Test) { n.add(t, func(name string) string { return name }) }

// broke says of a failing test whether its runner calls it an error.
func (n *names) broke(name string, so bool) {
	if i, ok := n.at[short(name)]; ok {
		n.list[i].Error = n.list[i].Error || so
	}
}

// took adds to the time of a test that is known.
func (n *names) took(name string, time time.Duration) {
	if i, ok := n.at[short(name)]; ok {
		n.list[i].Duration += time
	}
}

// add keeps a test whose name is new, as that is to be held. A runner that does not
// name a test has an empty one for it, which is the name of none.
func (n *names) add(t Test, held func(string) string) {
	name := short(t.Name)
	switch i, ok := n.at[name]; {
	case name == "":
	case ok:
		one := &n.list[i]
		if badness[t.Status] > badness[one.Status] {
			one.Status = t.Status
		}
		one.Duration, one.Error = max(one.Duration, t.Duration), one.Error || t.Error
	case len(n.list) == maxNamed:
		n.more = true
	default:
		if n.at == nil {
			n.at = make(map[string]int)
		}
		name = held(name)
		n.at[name] = len(n.list)
		n.list = append(n.list, Test{Name: name, Status: t.Status, Duration: t.Duration, Error: t.Error})
	}
}

// merge takes names of another list.
func (n *names) merge(tests []Test) {
	for _, t := range tests {
		n.own(t)
	}
}

// fork is a copy to go on with.
func (n *names) fork() names {
	return names{list: slices.Clone(n.list), at: maps.Clone(n.at), more: n.more}
}

// count is how many ended in one way.
func (n *names) count(status Status) int { return count(n.list, status) }

func count(tests []Test, status Status) int {
	sum := 0
	for i := range tests {
		if tests[i].Status == status {
			sum++
		}
	}
	return sum
}

// of are the tests that ended in one way.
func of(tests []Test, status Status) []Test {
	var list []Test
	for _, t := range tests {
		if t.Status == status {
			list = append(list, t)
		}
	}
	return list
}

var badness = map[Status]int{Skipped: 1, Failed: 2}

// Names are the names of the tests that ended in one way, as far as the runner
// printed them.
func (r Report) Names(status Status) []string {
	var list []string
	for _, t := range of(r.Named, status) {
		list = append(list, t.Name)
	}
	return list
}

// Complete tells whether every test that was counted is named. Two tests of the
// same name are one name, so a report with such tests is not complete.
func (r Report) Complete() bool {
	return !r.MoreNamed && r.Total == len(r.Named) &&
		r.Passed == count(r.Named, Passed) && r.Failed == count(r.Named, Failed) && r.Skipped == count(r.Named, Skipped)
}
