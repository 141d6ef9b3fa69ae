package desk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A worker that has nothing to do removes what nobody needs all the same.
func TestSweepingMeanwhile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	mirror := filepath.Join(root, "mirrors", "x.git")
	long := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC) // also by the clock of a bubble
	if err := errors.Join(os.MkdirAll(mirror, 0o700), os.Mkdir(filepath.Join(root, "runs"), 0o700), os.Chtimes(mirror, long, long)); err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		_, err := os.Stat(mirror)
		return err != nil
	}
	synctest.Test(t, func(t *testing.T) {
		d := &Desk{Options: Options{Root: root, Keep: usualKeep}, live: map[string]*leg{}, due: make(chan struct{}, 1)}
		d.sweepMeanwhile()
		time.Sleep(sweepIdle / 2)
		synctest.Wait()
		if gone() {
			t.Error("it was removed at once")
		}
		time.Sleep(sweepIdle)
		synctest.Wait()
		if !gone() {
			t.Error("it is still there")
		}
		d.stop()
	})
}
