package proc

import (
	"os"
	"testing"
	"time"
)

// self is this process, seen as a child.
type self struct{ process }

func (self) family() ([]entry, error) {
	t, err := readBelow(os.Getpid())
	return []entry{t.all[os.Getpid()]}, err
}

func TestUseOfAProcessorShows(t *testing.T) {
	work := cpuMeter{process: self{}}
	if work.active() {
		t.Error("it goes on at the first look, with nothing to compare")
	}
	deadline := time.Now().Add(10 * time.Second)
	for !work.active() { // which is work
		if time.Now().After(deadline) {
			t.Fatal("ten seconds of work do not show")
		}
	}
}

func TestAProcessThatSleepsDoesNotWork(t *testing.T) {
	same := entry{ident: ident{1, 1}, cpu: time.Hour}
	work := cpuMeter{process: fixed{is: same}}
	work.active()
	if work.active() {
		t.Error("it goes on, though no time was used")
	}
}

// fixed is a child that uses no time.
type fixed struct {
	process
	is entry
}

func (f fixed) family() ([]entry, error) { return []entry{f.is}, nil }
