package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A review is killed, or interrupted, at random moments. The next one makes whole what
// it had begun: files, index and branch are as before, or as after.
func TestChaosReview(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc to see when git is done")
	}
	t.Parallel()
	dice := newDice(t)
	w := newWorld(t)
	w.must("git", "init", "-q", "-b", "main")
	for n := range 30 {
		w.write(fmt.Sprintf("tree/old-%d", n), "was\n")
	}
	w.write("tree/PLAN.md", "- [ ] first\n- [ ] second\n")
	w.must("git", "add", ".")
	w.must("git", "commit", "-qm", "start")
	w.write("tree/mine", "mine\n")
	w.must("git", "add", "mine")
	agent := w.write("work.sh", `case $REFRAIN_ITERATION in
1) sed -i 's/. . first/[x] first/' PLAN.md; for f in old-*; do echo is >>$f; done ;;
2) sed -i 's/. . second/[x] second/' PLAN.md; for n in 1 2 3 4 5 6 7 8 9; do echo new >new-$n; done ;;
esac
`)
	_ = w.command(w.program, "run", "-n", "2", "-p", "go", "--plan", "PLAN.md", "--", "sh", agent).Run() // it may be done, or at its limit
	entry, err := w.store().Find("run-1")
	if err != nil {
		t.Fatal(err)
	}
	start := strings.TrimSpace(string(w.must("git", "rev-parse", "HEAD")))
	drops := []string{"--drop", "PLAN.md"}
	for n := range 20 {
		drops = append(drops, "--drop", fmt.Sprintf("old-%d", n))
	}
	whole := append([]string{"review", "run-1", "--squash"}, drops...)
	back := func() {
		w.must(w.program, "rollback", "run-1/2", "--yes")
		w.must("git", "reset", "-q", start)
		w.must("git", "add", "mine")
	}
	allowed := map[string]string{reviewState(w): "before"}
	w.must(w.program, append([]string{"review", "run-1"}, drops...)...)
	allowed[reviewState(w)] = "dropped"
	w.must(w.program, "review", "run-1", "--squash")
	allowed[reviewState(w)] = "after"
	if len(allowed) != 3 {
		t.Fatalf("the states do not differ: %v", allowed)
	}
	back()
	began := time.Now()
	w.must(w.program, whole...)
	took := time.Since(began)
	seen := map[string]int{}
	for range rounds(t, 6) {
		back()
		cmd := w.command(w.program, whole...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(dice.Int64N(int64(took) * 11 / 10)))
		signal := []os.Signal{os.Kill, os.Kill, os.Interrupt}[dice.IntN(3)]
		_ = cmd.Process.Signal(signal) // it may be over
		_ = cmd.Wait()
		w.deserted()
		out := w.must(w.program, "review", "run-1", "--finish")
		name, ok := allowed[reviewState(w)]
		if !ok {
			t.Fatalf("neither before nor after:\n%s\nthe next review said\n%s", reviewState(w), out)
		}
		seen[name]++
		if _, err := os.Stat(filepath.Join(entry.Dir, "review.json")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the note of what was begun is still there: %v", err)
		}
	}
	t.Logf("%v in %v", seen, took)
}

// reviewState is all that a review may change: history, index and files.
func reviewState(w *world) string {
	w.Helper()
	var b strings.Builder
	for _, args := range [][]string{{"log", "--format=%s"}, {"ls-tree", "-r", "HEAD"}, {"ls-files", "-s"}, {"status", "--porcelain"}} {
		fmt.Fprintf(&b, "%s\n", w.must("git", args...))
	}
	found, _ := filepath.Glob(filepath.Join(w.tree, "*")) // the pattern is a good one
	for _, path := range found {
		text, _ := os.ReadFile(path) // a folder has none
		fmt.Fprintf(&b, "%s %q\n", filepath.Base(path), text)
	}
	return b.String()
}

// deserted waits until nobody works in the tree any more: what a killed review had
// started is at its end.
func (w *world) deserted() {
	w.Helper()
	for range 1000 {
		busy := false
		places, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is a good one
		for _, place := range places {
			at, err := os.Readlink(place)
			busy = busy || err == nil && strings.HasPrefix(at, w.tree)
		}
		if !busy {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.Fatal("somebody still works in the tree")
}
