package control

import (
	"testing"
	"testing/synctest"
	"time"
)

// crowded is the turns of a number of streams.
func crowded(streams int) *turns {
	t := newTurns()
	for range streams {
		t.join()
	}
	return t
}

func TestTurns(t *testing.T) {
	t.Run("one alone does not rest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := crowded(1)
			end := turns.take()
			time.Sleep(3 * time.Millisecond)
			end()
			free := time.Now()
			turns.take()()
			if got := time.Since(free); got != 0 {
				t.Errorf("the next turn came after %v, want at once", got)
			}
		})
	})
	t.Run("a crowd rests as long as it works", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := crowded(crowd)
			end := turns.take()
			time.Sleep(3 * time.Millisecond)
			end()
			free := time.Now()
			turns.take()()
			if got := time.Since(free); got != 3*time.Millisecond {
				t.Errorf("the next turn came after %v, want 3ms", got)
			}
		})
	})
	t.Run("short turns rest together", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := crowded(crowd)
			began := time.Now()
			for range 5 {
				end := turns.take()
				time.Sleep(leastRest / 4)
				end()
			}
			if got, want := time.Since(began), 5*leastRest/4+leastRest; got != want {
				t.Errorf("five turns took %v, want %v", got, want)
			}
			time.Sleep(leastRest)
		})
	})
	t.Run("who takes too long is not waited for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := crowded(crowd)
			end := turns.take()
			began := time.Now()
			next := turns.take()
			if got, want := time.Since(began), 2*longestTurn; got != want {
				t.Errorf("the next turn came after %v, want %v", got, want)
			}
			end() // at last: the turn is not its own any more
			select {
			case <-turns.free:
				t.Error("two have the turn")
			default:
			}
			next()
		})
	})
	t.Run("when the run is over nobody waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := crowded(crowd)
			turns.take()
			close(turns.over)
			began := time.Now()
			turns.take()()
			turns.take()
			if got := time.Since(began); got != 0 {
				t.Errorf("they waited %v", got)
			}
			time.Sleep(2 * longestTurn)
		})
	})
}
