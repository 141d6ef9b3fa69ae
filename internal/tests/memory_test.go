package tests

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Lines of ever new tests, of every framework, must not fill the memory.
func TestMemoryIsBounded(t *testing.T) {
	var all []string
	for _, path := range samples(t) {
		all = append(all, strings.Split(sample(t, path), "\n")...)
	}
	p := New()
	// Each name takes its bytes, an entry in a list and one in a map, which have
	// room for twice as many.
	const perName = maxMessage + 2*(64+48)
	named := func() uint64 {
		n := 0
		for _, e := range p.entrants {
			if e.reader == nil {
				continue
			}
			if r, ok := e.report(); ok {
				n += len(r.Named)
			}
		}
		return uint64(n * perName)
	}
	read := func(round int) uint64 {
		for i, line := range all {
			long := fmt.Sprintf("est%d_%d_%s", round, i, strings.Repeat("é", maxMessage))
			p.Write([]byte(strings.ReplaceAll(line, "est", long) + "\n"))
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc - min(m.HeapAlloc, named())
	}
	var first, last uint64
	for round := range 12 {
		last = read(round)
		if round == 5 {
			first = last
		}
	}
	// Names and messages are kept up to a number of each; after a while all of
	// them are there, but for the names, of which there is room for very many.
	if last > first+4<<20 {
		t.Errorf("reading on took %d KiB more, on top of %d KiB", (last-first)>>10, first>>10)
	}
	runtime.KeepAlive(p)
}
