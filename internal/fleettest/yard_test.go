//go:build unix

package fleettest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// How long things take here: short, so that little is waited for.
const (
	lease = 6 * time.Second // a worker that is not heard for so long has lost its runs
	grace = 4 * time.Second // that a worker gives its legs when it leaves
)

// yard is a fleet: a server, a remote, a laptop from which runs are submitted, and
// workers.
type yard struct {
	testing.TB
	dir      string
	programs string // the folder of refrain and refrain-worker
	temporal string
	agent    string // the script
	notes    string // what agents have noted
	patience time.Duration

	server  *server
	remote  *remote
	laptop  *machine
	workers []*worker
}

// newYard starts a fleet that has no workers yet.
func newYard(t testing.TB) *yard {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a fleet is tried on Linux only")
	}
	programs, temporal := os.Getenv("FLEET_PROGRAMS"), os.Getenv("FLEET_TEMPORAL")
	if programs == "" || temporal == "" {
		t.Skip("make test-fleet builds what a fleet needs: FLEET_PROGRAMS and FLEET_TEMPORAL say where it is")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	agent, err := filepath.Abs("testdata/agent.sh")
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{TB: t, dir: dir, programs: programs, temporal: temporal, agent: agent, notes: filepath.Join(dir, "notes"), patience: patience}
	for _, d := range []string{y.notes, filepath.Join(dir, "logs"), filepath.Join(dir, "remote")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(y.show)
	y.remote = newRemote(t, filepath.Join(dir, "remote"))
	y.server = y.newServer()
	y.laptop = y.machine("laptop")
	return y
}

// show prints the end of what everybody has printed, when a test has failed.
func (y *yard) show() {
	if !y.Failed() {
		return
	}
	list, _ := filepath.Glob(filepath.Join(y.dir, "logs", "*"))
	for _, path := range list {
		y.Logf("the end of what %s printed:\n%s", filepath.Base(path), y.tail(filepath.Base(path)))
	}
}

// log opens the file that takes what somebody prints.
func (y *yard) log(name string) *os.File {
	y.Helper()
	f, err := os.OpenFile(filepath.Join(y.dir, "logs", name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		y.Fatal(err)
	}
	return f
}

func (y *yard) tail(name string) string {
	b, err := os.ReadFile(filepath.Join(y.dir, "logs", name))
	if err != nil {
		return err.Error()
	}
	lines := slices.Collect(strings.Lines(string(b)))
	return strings.Join(lines[max(0, len(lines)-40):], "")
}

// patience is what only a fleet that hangs runs out of; that of the slow tests is longer.
const patience = 3 * time.Minute

// until waits for something to become true, polling: there is nobody to tell.
func (y *yard) until(what string, holds func() bool) {
	y.Helper()
	for deadline := time.Now().Add(y.patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			y.Fatalf("in vain waited until %s", what)
		}
	}
}

// create makes a repository on the remote, and a clone of it on the laptop.
func (y *yard) create(repo string) {
	y.Helper()
	y.laptop.must(".", "git", "clone", "-q", y.remote.create(repo), repo)
}

// usual are the settings of every run here: little is waited for, and no rule ends a run
// since an agent was killed.
var usual = []string{
	"--until", "DONE", "-n", "100000", "--set", "fleet.lease=" + lease.String(), "--set", "fleet.patience=1s",
	"--set", "loop.backoff=0s", "--set", "stop.failures=0", "--set", "stop.no_progress=0", "--set", "stop.repeats=0",
}

// submit hands a run to the fleet, from the clone of its repository.
func (y *yard) submit(repo, name, prompt string, more ...string) {
	y.Helper()
	y.laptop.must(repo, "refrain", slices.Concat([]string{"fleet", "submit", "--name", name, "-p", prompt}, usual, more)...)
}

// order runs a command of the fleet that has to end well.
func (y *yard) order(words ...string) string {
	y.Helper()
	return y.laptop.must(".", "refrain", append([]string{"fleet"}, words...)...)
}

// rows is every run that there is, by its name.
func (y *yard) rows() map[string]fleet.Row {
	y.Helper()
	out, err := y.laptop.try(".", "refrain", "fleet", "ls", "--all", "--json")
	if err != nil {
		return nil // the server is away
	}
	var list []fleet.Row
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		y.Fatalf("fleet ls --json: %v\n%s", err, out)
	}
	rows := map[string]fleet.Row{}
	for _, r := range list {
		rows[r.Run] = r
	}
	return rows
}

// row waits until one run is as it should be, and gives it.
func (y *yard) row(name, what string, holds func(fleet.Row) bool) (r fleet.Row) {
	y.Helper()
	y.until(name+" "+what, func() bool {
		var ok bool
		r, ok = y.rows()[name]
		return ok && holds(r)
	})
	return r
}

// shifts is who was at work on a run.
func (y *yard) shifts(r fleet.Row) []*shift { return shifts(y.TB, filepath.Join(y.notes, r.ID)) }
