package lull

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackOnceInALull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		freed := 0
		w := watch(func() { freed++ })
		defer w.Close()
		expect := func(want int, when string) {
			t.Helper()
			synctest.Wait()
			if freed != want {
				t.Errorf("%s: %d times, want %d", when, freed, want)
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

func TestNothingIsDoneAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		freed := 0
		w := watch(func() { freed++ })
		w.Close()
		w.Stir()
		time.Sleep(time.Hour)
		synctest.Wait()
		if freed != 0 {
			t.Error("memory was given back")
		}
	})
}
