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
	read := func(round int) uint64 {
		for i, line := range all {
			long := fmt.Sprintf("est%d_%d_%s", round, i, strings.Repeat("é", mostMessage))
			p.Write([]byte(strings.ReplaceAll(line, "est", long) + "\n"))
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var first, last uint64
	for round := range 12 {
		last = read(round)
		if round == 5 {
			first = last
		}
	}
	// Names and messages are kept up to a number of each; after a while all of
	// them are there.
	if last > first+4<<20 {
		t.Errorf("reading on took %d KiB more, on top of %d KiB", (last-first)>>10, first>>10)
	}
	runtime.KeepAlive(p)
}
