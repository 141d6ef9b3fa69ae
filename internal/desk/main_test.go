package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// beChild is, where it can be, this program as a worker of its own; it tells whether it
// was one.
var beChild = func() bool { return false }

func TestMain(m *testing.M) {
	app.Helper()
	if beChild() {
		return
	}
	os.Exit(inHome(m.Run))
}

// inHome runs tests with a home folder of their own.
func inHome(run func() int) int {
	home, err := os.MkdirTemp("", "desk-home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com", "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.com",
	} {
		os.Setenv(name, value)
	}
	return run()
}

// world is a remote with a project in it, and workers.
type world struct {
	t   *testing.T
	dir string
}

// agent writes a line for each iteration, and claims to be done after the third. What
// it is to do beside that stands in between.
func agent(beside ...string) string {
	return "#!/bin/sh\necho $REFRAIN_ITERATION >>\"$DESK_TEST_WORLD/starts\"\necho \"iteration $REFRAIN_ITERATION\" >>work\necho loose >loose\n" +
		strings.Join(beside, "\n") + "\n[ \"$(wc -l <work)\" -lt 3 ] || echo \"<promise>DONE</promise>\"\n"
}

const allWork = "iteration 1\niteration 2\niteration 3"

func newWorld(t *testing.T, script string) *world {
	w := &world{t, t.TempDir()}
	w.git(w.dir, "init", "-q", "--bare", "-b", "main", "hub.git")
	w.git(w.dir, "clone", "-q", "hub.git", "seed")
	w.write("seed/agent.sh", strings.ReplaceAll(script, "$DESK_TEST_WORLD", w.dir))
	w.write("seed/.gitignore", "ignored\n")
	w.git(w.at("seed"), "add", ".")
	w.git(w.at("seed"), "commit", "-qm", "start")
	w.git(w.at("seed"), "push", "-q", "origin", "HEAD:main")
	return w
}

func (w *world) at(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) hub(args ...string) string { return w.git(w.at("hub.git"), args...) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(w.at(name)), 0o700), os.WriteFile(w.at(name), []byte(text), 0o700)); err != nil {
		w.t.Fatal(err)
	}
}

// options are those of a worker's desk.
func (w *world) options(worker string) Options {
	return Options{Root: w.at(worker), Worker: worker, Trust: []string{w.dir + "/*"}, Version: "test", Cut: 2 * time.Second}
}

func (w *world) desk(worker string) *Desk {
	w.t.Helper()
	d, err := New(w.options(worker))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { d.Close() })
	return d
}

// spec is a run that commits, of one iteration a leg. More are settings on top: KEY=VALUE.
func (w *world) spec(more ...string) fleet.Spec {
	type flag struct{ Name, Key, Value string }
	req := map[string]any{"command": []string{"sh", "agent.sh"}}
	var flags []flag
	for _, one := range append([]string{"done.promise=DONE", "loop.max_iterations=20", "git.commit=true", "sandbox.mode=none"}, more...) {
		key, value, _ := strings.Cut(one, "=")
		name := "--set"
		if key == "gate" {
			name = "--gate"
		}
		flags = append(flags, flag{name, key, value})
	}
	req["flags"] = flags
	b, err := json.Marshal(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return fleet.Spec{
		ID: journal.NewID(), Name: "build", Remote: w.at("hub.git"), Base: "main", Branch: "refrain/build", Request: b,
		Quantum: fleet.Quantum{Iterations: 1, Patience: time.Second}, Lease: 2 * time.Second, Submitted: time.Now(),
	}
}

func (w *world) leg(d *Desk, s fleet.Spec, n int, orders ...fleet.Order) fleet.Standing {
	w.t.Helper()
	out, err := d.Run(w.t.Context(), fleet.Turn{Spec: s, Leg: n, Orders: orders}, fleet.Hooks{})
	if err != nil {
		w.t.Fatalf("leg %d: %v\n%s", n, err, hint(err))
	}
	return out
}

// card is what the ref of a run says.
func (w *world) card(s fleet.Spec) carry.Card {
	w.t.Helper()
	var c carry.Card
	if err := json.Unmarshal([]byte(w.hub("cat-file", "blob", carry.Prefix+s.ID+":card.json")), &c); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// events are those of the journal on the remote.
func (w *world) events(s fleet.Spec) []loop.Event {
	w.t.Helper()
	var list []loop.Event
	for i := range w.card(s).Chunks {
		text := w.hub("cat-file", "blob", fmt.Sprintf("%s%s:journal/%08d", carry.Prefix, s.ID, i+1))
		for line := range strings.Lines(text) {
			e, err := journal.Decode([]byte(strings.TrimSpace(line)))
			if err != nil {
				w.t.Fatal(err)
			}
			list = append(list, e)
		}
	}
	return list
}

// whole sees that a run that is done has each iteration once, and its branch is right.
func (w *world) whole(s fleet.Spec) {
	w.t.Helper()
	if got := w.hub("show", s.Branch+":work"); got != allWork {
		w.t.Errorf("the work is %q", got)
	}
	if got := w.hub("rev-parse", s.Branch); got != w.card(s).Head {
		w.t.Errorf("the branch is at %s, the run at %s", got, w.card(s).Head)
	}
	var counted []string
	for _, e := range w.events(s) {
		if f, ok := e.Payload.(*loop.IterationFinished); ok && f.State.Totals.Iterations == len(counted)+1 {
			counted = append(counted, fmt.Sprint(e.Iter))
		}
	}
	if got := strings.Join(counted, " "); got != "1 2 3" {
		w.t.Errorf("the iterations %s count", got)
	}
	if c := w.card(s); c.Held || c.State != loop.Done {
		w.t.Errorf("the card says %+v", c)
	}
}
