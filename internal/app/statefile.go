package app

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// settleTime is the shortest time between two writes of state.json. A loop of
// instant iterations changes its state a thousand times a second, each write is a
// new file, and a script that looks twice a second misses nothing.
const settleTime = 500 * time.Millisecond

// stateFile keeps state.json up to date for scripts, beside the loop and not
// in its way. Nothing reads the file back.
type stateFile struct {
	out *journal.Run

	mu  sync.Mutex
	run *view.Run

	changed chan struct{}
	done    chan struct{}
	wg      sync.WaitGroup
}

func newStateFile(out *journal.Run, run *view.Run) *stateFile {
	f := &stateFile{out: out, run: run, changed: make(chan struct{}, 1), done: make(chan struct{})}
	f.wg.Go(f.keep)
	return f
}

// Observe takes note of an event. The agent's chatter changes nothing that a
// script would look for.
func (f *stateFile) Observe(e loop.Event) {
	f.mu.Lock()
	f.run.Apply(e)
	f.mu.Unlock()
	if !e.Type().Kept() {
		return
	}
	select {
	case f.changed <- struct{}{}:
	default: // a write is due already
	}
}

// Status is the run as scripts see it now.
func (f *stateFile) Status() view.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.run.Status(time.Now())
}

// Stats is what the run has come to so far.
func (f *stateFile) Stats() view.Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.run.Stats(time.Now())
}

// Close writes the last state.
func (f *stateFile) Close() {
	close(f.done)
	f.wg.Wait()
}

func (f *stateFile) keep() {
	for {
		select {
		case <-f.changed:
			f.write()
		case <-f.done:
			f.write()
			return
		}
		select {
		case <-time.After(settleTime):
		case <-f.done: // seen again above
		}
	}
}

func (f *stateFile) write() {
	status := f.Status()
	if b, err := json.MarshalIndent(status, "", "  "); err == nil {
		f.out.WriteState(append(b, '\n'))
	}
}
