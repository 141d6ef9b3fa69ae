package realtest

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fakemodel"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// world is a git work tree, a home and a model for one CLI. Nothing of the
// user's is in it.
type world struct {
	*testing.T
	recipe recipe
	model  *fakemodel.Server
	tree   string
	home   string
	env    []string
}

func newWorld(t *testing.T, r recipe) *world {
	t.Helper()
	bin := installed(t, r.name)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, recipe: r, tree: filepath.Join(dir, "tree"), home: filepath.Join(dir, "home")}
	w.model = fakemodel.Start(t, w.script("tools"))
	outside := newOutside(t)
	t.Cleanup(func() { outside.check(w) }) // after the processes below are gone
	t.Cleanup(w.endSurvivors)
	w.env = w.environ(bin, outside.url)
	for name, text := range r.files {
		w.write(filepath.Join(w.home, filepath.FromSlash(name)), w.fill(text))
	}
	w.write(filepath.Join(w.tree, "README.md"), "# demo\n")
	w.write(filepath.Join(w.tree, "refrain.toml"), "") // so that no folder above is taken for the work tree
	w.must("git", "init", "-q", "-b", "main")
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", "begin")
	return w
}

// environ is the whole environment of refrain, and so of the CLI.
func (w *world) environ(bin, outside string) []string {
	env := []string{
		"PATH=" + strings.Join([]string{w.dirOf("refrain"), bin, w.dirOf("node"), w.dirOf("git"), "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
		"HOME=" + w.home, "SHELL=/bin/bash", "TERM=dumb", "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com",
		"REFRAIN_TRUST_FOLDERS=[\"" + w.tree + "\"]", // it is the test's own
		"REFRAIN_SANDBOX_MODE=" + cmp.Or(os.Getenv("SANDBOX"), "auto"),
		"REFRAIN_SANDBOX_ENV=[\"FAKE_KEY\"]", // the key of a provider that nobody knows
		"GORACE=atexit_sleep_ms=0",           // children need not pause at their end
	}
	if !w.recipe.ignoresNoProxy {
		env = append(env, "HTTPS_PROXY="+outside, "HTTP_PROXY="+outside, "NO_PROXY=127.0.0.1,localhost")
	}
	for _, v := range w.recipe.env {
		env = append(env, w.fill(v))
	}
	return env
}

func (w *world) fill(text string) string { return strings.ReplaceAll(text, "{url}", w.model.URL) }

// script is one of the model's scripts, for this work tree.
func (w *world) script(name string) fakemodel.Script {
	return fakemodel.Load(w, name, map[string]string{"CWD": w.tree})
}

func (w *world) dirOf(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		w.Skipf("the real CLIs need %s: %v", program, err)
	}
	return filepath.Dir(path)
}

func (w *world) write(path, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.tree, name))
	if err != nil {
		w.Error(err)
	}
	return string(b)
}

// must runs a program that has to end well, and gives what it printed.
func (w *world) must(name string, args ...string) string {
	w.Helper()
	cmd := w.command(name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// command is a program that is ready to start in the work tree. It is looked
// up on our own path, where refrain is this test.
func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.tree, w.env
	return cmd
}

// journal gives the events of the latest run, none before there is one.
func (w *world) journal() []loop.Event {
	w.Helper()
	store, err := journal.OpenIn(filepath.Join(w.home, ".local", "state", "refrain"), w.tree)
	if err != nil {
		w.Fatal(err)
	}
	run, err := store.Find("last")
	if err != nil {
		return nil // it has not begun
	}
	var list []loop.Event
	for e, err := range store.Events(run.Name, 0) {
		if err != nil {
			w.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// of is the payloads of one type among the events.
func of[P loop.Payload](events []loop.Event) []P {
	var list []P
	for _, e := range events {
		if p, ok := e.Payload.(P); ok {
			list = append(list, p)
		}
	}
	return list
}

// outcomes is what came of each attempt.
func (w *world) outcomes() []loop.Outcome {
	w.Helper()
	var list []loop.Outcome
	for _, f := range of[*loop.IterationFinished](w.journal()) {
		list = append(list, f.Outcome)
	}
	return list
}

// patience is what only a hanging test runs out of: on a busy machine the
// slowest CLI takes half a minute to start.
const patience = 2 * time.Minute

// until waits for something to become true, polling: there is nobody to tell.
func (w *world) until(what string, holds func() bool) {
	w.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("in vain waited until %s", what)
		}
	}
}
