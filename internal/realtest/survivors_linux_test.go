package realtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// survivors lists the processes of this world: whoever has its home in the
// environment, or its work tree in the arguments, was started here.
func (w *world) survivors() map[int]string {
	w.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		w.Fatal(err)
	}
	alive := map[int]string{}
	for _, dir := range dirs {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // one that is gone by now has none
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if bytes.Contains(env, []byte("HOME="+w.home+"\x00")) || bytes.Contains(args, []byte(w.tree)) {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			alive[pid] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return alive
}

// noSurvivors checks that everything that was started here is gone by then.
func (w *world) noSurvivors(within time.Duration) {
	w.Helper()
	if alive := w.aliveAfter(within); len(alive) > 0 {
		w.Errorf("%d processes are alive after %v: %v", len(alive), within, alive)
	}
}

// aliveAfter is the processes of this world that are there for longer than that.
func (w *world) aliveAfter(within time.Duration) map[int]string {
	w.Helper()
	begin := time.Now()
	for {
		alive := w.survivors()
		if len(alive) == 0 {
			w.Logf("all gone after %v", time.Since(begin).Round(10*time.Millisecond))
			return nil
		}
		if time.Since(begin) > within {
			return alive
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// endSurvivors ends what a failed test has left behind.
func (w *world) endSurvivors() {
	w.until("nothing of the test is left", func() bool {
		alive := w.survivors()
		for pid := range alive {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
		return len(alive) == 0
	})
}
