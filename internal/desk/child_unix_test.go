//go:build unix

package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// asChild has the test binary be a worker that does one leg, to be killed.
const asChild = "DESK_TEST_CHILD"

// job is what such a worker is to do.
type job struct {
	Options Options
	Turn    fleet.Turn
	Pulse   string // a file that the fleet writes to as long as it hears the worker; empty: it always does
	State   string // where its records are; empty: where those of this program are
}

func init() {
	beChild = func() bool {
		text := os.Getenv(asChild)
		if text == "" {
			return false
		}
		os.Unsetenv(asChild)
		var j job
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			panic(err)
		}
		if j.State != "" {
			os.Setenv("XDG_STATE_HOME", j.State)
		}
		d, err := New(j.Options)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer d.Close()
		heard := func() fleet.Beat {
			if j.Pulse == "" {
				return fleet.Beat{At: time.Now()}
			}
			info, err := os.Stat(j.Pulse)
			if err != nil {
				return fleet.Beat{}
			}
			return fleet.Beat{At: info.ModTime()}
		}
		out, err := d.Run(context.Background(), j.Turn, fleet.Hooks{Heard: heard})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = json.NewEncoder(os.Stdout).Encode(out)
		return true
	}
}

// child is such a worker.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	out bytes.Buffer
	err bytes.Buffer
}

func (w *world) child(worker string, s fleet.Spec, leg int, change ...func(*job)) *child {
	w.t.Helper()
	j := job{Options: w.options(worker), Turn: fleet.Turn{Spec: s, Leg: leg}}
	for _, c := range change {
		c(&j)
	}
	text, err := json.Marshal(j)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &child{t: w.t, cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), asChild+"="+string(text))
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	if err := c.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.write("worker.pid", strconv.Itoa(c.cmd.Process.Pid))
	w.t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

// wait gives how the run stands, unless the worker was killed.
func (c *child) wait() (out fleet.Standing, killed bool) {
	c.t.Helper()
	out, err := c.waitQuietly()
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return out, true
	}
	if err != nil {
		c.t.Fatalf("the worker: %v\n%s", err, c.err.String())
	}
	return out, false
}

// waitQuietly does so also where the leg came to nothing.
func (c *child) waitQuietly() (out fleet.Standing, err error) {
	if err := c.cmd.Wait(); err != nil {
		return out, err
	}
	err = json.Unmarshal(c.out.Bytes(), &out)
	return out, err
}

// nobodyLeft sees that no process of a run is left.
func (w *world) nobodyLeft(s fleet.Spec) {
	w.t.Helper()
	w.await("no process of the run is left", func() bool { return !marked(s.ID) })
}

// marked tells whether there is a process that works for a run.
func marked(id string) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false // this system does not say
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(env, []byte(id)) && !bytes.Contains(env, []byte(asChild+"=")) {
			return true
		}
	}
	return false
}
