package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/story"
)

// world is a work tree in which the real program is run, as a process of its
// own, with no settings but those it is given.
type world struct {
	testing.TB
	program string
	tree    string
	env     []string
}

// newWorld makes a world around an empty folder. The program is the one that
// our scripts run.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, program: "refrain", tree: filepath.Join(dir, "tree")}
	// The mark of a work tree keeps the program from looking for one further up.
	if err := os.MkdirAll(filepath.Join(w.tree, ".refrain"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := &testscript.Env{WorkDir: dir, Values: map[any]any{}, Vars: slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "REFRAIN_") // ours are no settings
	})}
	if err := story.CleanHome(env); err != nil {
		t.Fatal(err)
	}
	w.env = env.Vars
	return w
}

// command is a program that is ready to start in the work tree.
func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.tree, w.env
	return cmd
}

// must runs a program that has to end well, and gives what it printed.
func (w *world) must(name string, args ...string) []byte {
	w.Helper()
	var complaint bytes.Buffer
	cmd := w.command(name, args...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		w.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &complaint)
	}
	return out
}

// write puts a file beside the work tree, where no agent looks.
func (w *world) write(name, text string) (path string) {
	w.Helper()
	path = filepath.Join(filepath.Dir(w.tree), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// store is where the runs of the world are.
func (w *world) store() journal.Store {
	w.Helper()
	s, err := journal.OpenIn(filepath.Join(filepath.Dir(w.tree), "home", ".local", "state", "refrain"), w.tree)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// rehearsal is a script of n iterations with the same steps. The last one also
// claims to be done, and is repeated until it is heard.
func rehearsal(n int, steps ...string) string {
	var script strings.Builder
	for i := range n {
		if i == n-1 {
			steps = append(steps, `{ claim = "DONE" }`)
		}
		fmt.Fprintf(&script, "[[iteration]]\nsteps = [\n  %s,\n]\n", strings.Join(steps, ",\n  "))
	}
	return script.String()
}
