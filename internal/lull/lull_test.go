package lull

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackOnceInALull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var freed atomic.Int64
		w := watch(func() { freed.Add(1) })
		defer w.Close()
		expect := func(want int64, when string) {
			t.Helper()
			synctest.Wait()
			if got := freed.Load(); got != want {
				t.Errorf("%s: %d times, want %d", when, got, want)
			}
		}
		for range 100 {
			time.Sleep(After / 2)
			w.Stir()
		}
		expect(0, "while it is busy")
		time.Sleep(2*After + 1)
		expect(1, "in a lull")
		time.Sleep(time.Hour)
		expect(1, "in one that lasts")
		w.Stir()
		time.Sleep(2*After + 1)
		expect(2, "in the next")
	})
}

// Who does something while memory is given back does not wait for that, and has it given
// back again.
func TestSomethingIsDoneWhileMemoryIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var freed atomic.Int64
		var w atomic.Pointer[Watch]
		w.Store(watch(func() {
			if freed.Add(1) == 1 {
				w.Load().Stir()
			}
		}))
		defer w.Load().Close()
		time.Sleep(5 * After)
		synctest.Wait()
		if got := freed.Load(); got != 2 {
			t.Errorf("memory was given back %d times, want 2", got)
		}
	})
}

func TestNothingIsDoneAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var freed atomic.Int64
		w := watch(func() { freed.Add(1) })
		w.Close()
		w.Stir()
		time.Sleep(time.Hour)
		synctest.Wait()
		if freed.Load() != 0 {
			t.Error("memory was given back")
		}
	})
}
