package attacks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	agentScript = "agent/run.sh"
	patience    = 3 * time.Minute // what only a run that stalls needs
)

// atOnce is how many scenarios run beside each other: each keeps a core busy.
var atOnce = make(chan struct{}, 2)

// ending is what a run came to.
type ending struct {
	State  string
	Reason string
	Why    string
	Proven bool
	Proof  proof
	Totals struct{ Iterations int }

	holds  bool     // what is left passes the check of the scenario
	broken []string // what must succeed afterwards, and did not
	said   string   // all that was printed on the way
}

// proof is the runner's own word for what stands behind a claim.
type proof struct{ Level, Why, Place string }

// called tells whether the work counts as proven by what scripts read.
func (e ending) called() bool { return e.Proven || e.Proof.Level == "proven" }

func (e ending) String() string {
	return fmt.Sprintf("%s (%s), level %q, proven %v, iterations %d: %s", e.State, e.Reason, e.Proof.Level, e.Proven, e.Totals.Iterations, e.Why)
}

// play runs a scenario the way a user would: a repository, "refrain init", a
// commit, a run. A run that stalls fails, but for one in which a program of the
// scenario's language stands still: node is known to lock up, now and then, when
// it ends (nodejs/node#54918). Such a scenario is played once more.
func (s scenario) play(t *testing.T) ending {
	t.Helper()
	t.Parallel()
	atOnce <- struct{}{}
	defer func() { <-atOnce }()

	e, err := s.once(t)
	if stall := (*stall)(nil); errors.As(err, &stall) && stall.foreign {
		t.Logf("%v\nnot the runner stands still but the program above: played again", err)
		e, err = s.once(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (s scenario) once(t *testing.T) (ending, error) {
	t.Helper()
	w := newWorld(t, s.lang)
	if err := s.write(w.root); err != nil {
		t.Fatal(err)
	}
	w.must(t, "git init -q -b main && git add -A && git commit -qm 'the project'")
	w.must(t, "refrain init --yes")
	for _, command := range s.user {
		w.must(t, command)
	}
	w.must(t, "git add -A && git commit -qm 'the settings'")

	w.env = append(w.env, "TASK="+s.task)
	var said string
	run := `exec refrain run --until DONE -n 4 -p "$TASK" ` + s.flags + ` -- sh "$AGENT/run.sh"`
	for _, command := range append([]string{run}, s.then...) {
		told, err := w.sh(command)
		said += "$ " + command + "\n" + told
		if stall := (*stall)(nil); errors.As(err, &stall) {
			return ending{}, fmt.Errorf("%w\n%s", err, said)
		}
	}
	e := w.ending(t, said)
	e.holds = true
	if s.check != "" {
		told, err := w.sh(s.check)
		e.holds = err == nil
		e.said += "$ " + s.check + "\n" + told
	}
	for _, command := range s.must {
		if told, err := w.sh(command); err != nil {
			e.broken = append(e.broken, command)
			e.said += "$ " + command + "\n" + told
		}
	}
	return e, nil
}

// world is the machine of one scenario: a home with nothing in it, and a project.
type world struct {
	root string
	env  []string
}

func newWorld(t *testing.T, lang string) *world {
	t.Helper()
	tools, err := findTools()
	if err != nil {
		t.Fatal(err)
	}
	if tools[lang] == "" {
		t.Skipf("%s is not installed: nothing is known of this one here", lang)
	}
	w := &world{root: t.TempDir()}
	home := filepath.Join(w.root, "home")
	bin := filepath.Join(home, "bin") // as many people have it: theirs, and before all others
	for _, folder := range []string{bin, filepath.Join(w.root, "project")} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + tools["PATH"],
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"XDG_STATE_HOME=" + filepath.Join(home, ".local", "state"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"REFRAIN_SANDBOX_MODE=" + within,             // in which most of them come to nothing
		"REFRAIN_TRUST_FOLDERS=[\"" + w.root + "\"]", // the repository is the user's own; it is the agent that cheats
		"WORLD=" + w.root,
		"AGENT=" + filepath.Join(w.root, "agent"),
		"LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com",
		"GOCACHE=" + tools["GOCACHE"], "GOMODCACHE=" + tools["GOMODCACHE"], // warm, and with nothing of the agent's in them
		"GOPROXY=off", "GOTOOLCHAIN=local", "GORACE=atexit_sleep_ms=0",
		"npm_config_offline=true", "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false",
	}
	return w
}

// findTools says where the languages are, with the PATH and Go's caches. A python that is a
// switch between versions asks the home which one is meant, and the homes here
// do not know: the real one is put before it.
var findTools = sync.OnceValues(func() (map[string]string, error) {
	tools := map[string]string{"PATH": os.Getenv("PATH")}
	for lang, program := range map[string]string{"go": "go", "node": "npm", "python": "python3"} {
		tools[lang], _ = exec.LookPath(program)
	}
	if tools["python"] != "" {
		real, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
		if err != nil {
			return nil, fmt.Errorf("ask python3 where it is: %w", err)
		}
		folder := filepath.Dir(strings.TrimSpace(string(real)))
		tools["PATH"] = folder + string(os.PathListSeparator) + tools["PATH"]
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return nil, fmt.Errorf("ask go for %s: %w", name, err)
		}
		tools[name] = strings.TrimSpace(string(value))
	}
	return tools, nil
})

// sh runs a command line in the project and gives what it printed.
func (w *world) sh(line string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = filepath.Join(w.root, "project"), w.env
	var stalled *stall
	cmd.Cancel = func() error {
		stalled = w.stalled()
		if stalled.foreign {
			return cmd.Process.Signal(syscall.SIGTERM) // a runner takes its agent along
		}
		return cmd.Process.Signal(syscall.SIGQUIT) // it says where each goroutine is
	}
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if stalled != nil {
		err = stalled
	}
	return string(out), err
}

func (w *world) must(t *testing.T, line string) {
	t.Helper()
	if out, err := w.sh(line); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// ending reads what scripts read.
func (w *world) ending(t *testing.T, said string) ending {
	t.Helper()
	text, err := w.sh("refrain status --json 2>/dev/null")
	if err != nil {
		t.Fatalf("refrain status: %v\n%s\nafter\n%s", err, text, said)
	}
	e := ending{said: said}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("refrain status --json: %v\n%s\nafter\n%s", err, text, said)
	}
	return e
}
