// Package lull has a process that waits give back the memory that it does not need.
//
// Most of a run an agent works, and nobody else does. What a process has used before
// that, and will not again, is only collected when something new is made: in a lull
// that is never. A process that stays busy is left alone, and one that waits is not
// woken.
package lull

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// After is how long a lull must have lasted: what was told at once, or soon after
// another thing, was no lull.
const After = 5 * time.Second

// Watch gives back memory once in each lull.
type Watch struct {
	free    func()
	stirred atomic.Bool // since the timer was set
	set     atomic.Bool

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	over  bool
}

// New begins to watch, with a process that has just been busy. It must be closed.
func New() *Watch { return watch(debug.FreeOSMemory) }

func watch(free func()) *Watch {
	w := &Watch{free: free}
	w.Stir()
	return w
}

// Stir says that the process does something. It costs next to nothing.
func (w *Watch) Stir() {
	if w.stirred.Store(true); !w.set.CompareAndSwap(false, true) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.timer = time.AfterFunc(After, w.look)
	}
}

// look waits for longer when something was done meanwhile. Nobody waits while memory is
// given back.
func (w *Watch) look() {
	if w.lasts() {
		w.free()
	}
}

// lasts tells whether nothing was done; else it is looked again. From the moment that
// nothing is set the next one who does something sets it anew, so that nothing is missed.
func (w *Watch) lasts() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	w.set.Store(false)
	if !w.stirred.Swap(false) {
		return true
	}
	if w.set.CompareAndSwap(false, true) {
		w.timer.Reset(After)
	}
	return false
}

// Close ends the watching.
func (w *Watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
