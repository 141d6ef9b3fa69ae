package fence

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// aside runs f on a thread that ends with it, and gives its number. That is never
// the main thread, which is the process in the eyes of others, and does not end.
func aside(f func()) (tid int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if tid = unix.Gettid(); tid == unix.Getpid() {
			tid = aside(f) // nobody else gets this one meanwhile
			runtime.UnlockOSThread()
			return
		}
		f() // never unlocked: the thread ends with the goroutine
	}()
	<-done
	return tid
}

// awaitThread waits until a thread of ours has ended, for a moment that is counted
// in microseconds.
func awaitThread(tid int) {
	for i := 0; unix.Tgkill(unix.Getpid(), tid, 0) == nil; i++ {
		if i < 100 {
			runtime.Gosched()
			continue
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// A thread that is confined is in the domain of what it has started, which for a
// moment could trace it, and so read and change all of this process. Nobody traces a
// process that is not dumpable, but who has the capability.
var veils struct {
	mu  sync.Mutex
	n   int
	was int // before the first
}

// veil makes this process not dumpable until the last of those that it gives is
// called.
func veil() (lift func()) {
	veils.mu.Lock()
	defer veils.mu.Unlock()
	if veils.n++; veils.n == 1 {
		veils.was, _ = unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0) // never fails
		_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)                  // likewise
	}
	return func() {
		veils.mu.Lock()
		defer veils.mu.Unlock()
		if veils.n--; veils.n == 0 && veils.was == 1 {
			_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
		}
	}
}
