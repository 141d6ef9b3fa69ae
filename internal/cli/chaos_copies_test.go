package cli

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/journal"
)

// A project and its copy: runs are started, killed, resumed and pruned in both, in
// any order, while a run of the other may be live. Neither ever touches a process
// or a record of the other.
func TestChaosCopies(t *testing.T) {
	t.Parallel()
	dice := newDice(t)
	c := newChaos(t, dice)
	c.write("agent.sh", "cat >/dev/null\necho $REFRAIN_ITERATION >>work\nif [ -e hold ]; then echo $$ >now; mv now holding; while [ -e hold ]; do sleep 0.01; done; echo '<promise>DONE</promise>'; fi\n")
	c.must("git", "commit", "-q", "--allow-empty", "-m", "start")
	both := [2]*twin{{chaos: c, tree: c.tree}, {chaos: c, tree: filepath.Join(filepath.Dir(c.tree), "copy")}}
	both[0].try("run", "-n", "1", "--until", "DONE", "--gate", "true", "--", "sh", "../agent.sh")
	c.must("cp", "-r", both[0].tree, both[1].tree)
	for range rounds(t, 15) {
		i := dice.IntN(2)
		one, other := both[i], both[1-i]
		before := other.look()
		what := one.act()
		if after := other.look(); after != before {
			t.Fatalf("%s in %s changed the other (-was +is):\n%s", what, filepath.Base(one.tree), cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")))
		}
		if t.Failed() {
			return
		}
	}
	for _, one := range both {
		one.settle()
	}
	if a, b := both[0].records(), both[1].records(); a == b {
		t.Errorf("both have their records in %s", a)
	}
}

// twin is one of two projects that look alike.
type twin struct {
	*chaos
	tree string
	live *exec.Cmd     // a runner that waits in its agent
	gone chan struct{} // closed when that has ended
}

// act does one thing of a person's, and says which.
func (w *twin) act() string {
	acts := map[string]func(){
		"run": func() { w.settle(); w.try("run", "-n", "1", "--until", "DONE", "--", "sh", "../agent.sh") },
		"resume": func() {
			w.settle()
			w.try("resume", "-n", fmt.Sprint(1+w.dice.IntN(8)))
		},
		"a live run": w.hold,
		"kill -9":    w.kill,
		"stop":       func() { w.try("stop", "--now"); w.settle() },
		"status":     func() { w.try("status") },
		"prune":      func() { w.try("prune", "--keep", "1", "--resumable") },
		"check":      func() { w.settle(); w.try("check", "--gate", "true") },
		"rollback":   func() { w.settle(); w.try("rollback", "last/0", "--yes") },
	}
	names := []string{"run", "resume", "a live run", "a live run", "kill -9", "stop", "status", "prune", "check", "rollback"}
	name := names[w.dice.IntN(len(names))]
	acts[name]()
	return name
}

// try runs the program, which may have nothing to do.
func (w *twin) try(args ...string) {
	w.Helper()
	cmd := w.command(w.program, args...)
	cmd.Dir = w.tree
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || strings.Contains(string(out), "panic") {
		w.Fatalf("%q: %v\n%s", args, err, out)
	}
	if strings.Contains(string(out), "tampered") {
		w.Errorf("%q in %s:\n%s", args, w.tree, out)
	}
}

// hold has a run that waits in its agent.
func (w *twin) hold() {
	w.Helper()
	if w.live != nil {
		return
	}
	w.touch("hold")
	os.Remove(filepath.Join(w.tree, "holding"))
	args := []string{"run", "-n", "2", "--until", "DONE", "--", "sh", "../agent.sh"}
	if w.dice.IntN(2) == 0 {
		args = []string{"resume", "-n", "1000"}
	}
	w.live, w.gone = w.command(w.program, args...), make(chan struct{})
	w.live.Dir = w.tree
	if err := w.live.Start(); err != nil {
		w.Fatal(err)
	}
	go func(cmd *exec.Cmd, gone chan struct{}) {
		defer close(gone)
		_ = cmd.Wait()
	}(w.live, w.gone)
	for !w.holding() || !w.noted() {
		select {
		case <-w.gone:
			w.live = nil // there was nothing to go on with
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func (w *twin) holding() bool {
	_, err := os.Stat(filepath.Join(w.tree, "holding"))
	return err == nil
}

// noted tells whether the journal has the agent that holds. It gets its line when
// the agent has started, so the agent may be faster.
func (w *twin) noted() bool {
	w.Helper()
	pid, err := os.ReadFile(filepath.Join(w.tree, "holding"))
	if err != nil {
		w.Fatal(err)
	}
	journals, err := filepath.Glob(filepath.Join(w.records(), "runs", "*", "journal.jsonl"))
	if err != nil {
		w.Fatal(err)
	}
	its := []byte(`"pid":` + strings.TrimSpace(string(pid)) + ",")
	for _, journal := range journals {
		text, _ := os.ReadFile(journal)
		if bytes.Contains(text[bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n')+1:], its) {
			return true
		}
	}
	return false
}

func (w *twin) touch(name string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.tree, name), nil, 0o600); err != nil {
		w.Fatal(err)
	}
}

// kill kills the live runner.
func (w *twin) kill() {
	if w.live == nil {
		return
	}
	_ = w.live.Process.Kill()
	<-w.gone
	w.live = nil
	os.Remove(filepath.Join(w.tree, "hold"))
}

// end lets the live run come to its end.
func (w *twin) settle() {
	os.Remove(filepath.Join(w.tree, "hold"))
	if w.live != nil {
		<-w.gone
		w.live = nil
	}
}

// records is where the runs of the project are.
func (w *twin) records() string {
	w.Helper()
	s, err := journal.OpenIn(filepath.Join(filepath.Dir(w.tree), "home", ".local", "state", "refrain"), w.tree)
	if err != nil {
		w.Fatal(err)
	}
	return s.Dir
}

// look is everything that the other must not touch: the files of the records and
// of the project, and whether the runner is alive and its agent holds.
func (w *twin) look() string {
	w.Helper()
	var b strings.Builder
	for _, root := range []string{w.records(), w.tree} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "state.json") { // its own runner writes that as time goes by
				return err
			}
			if target, err := os.Readlink(path); err == nil {
				fmt.Fprintf(&b, "%s -> %s\n", path, target)
				return nil
			}
			text, _ := os.ReadFile(path) // it may just have been replaced
			fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(text))
			return nil
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	if w.live != nil {
		select {
		case <-w.gone:
			b.WriteString("the runner is dead\n")
		default:
		}
		pid, _ := os.ReadFile(filepath.Join(w.tree, "holding"))
		_, err := os.Stat("/proc/" + strings.TrimSpace(string(pid)))
		fmt.Fprintf(&b, "the agent lives: %v\n", err == nil)
	}
	return b.String()
}
