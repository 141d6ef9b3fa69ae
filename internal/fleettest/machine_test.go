//go:build unix

package fleettest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is a home with settings of its own, and its ways to the server and to the
// remote. What is started there has its home in the environment, and is found by that.
type machine struct {
	testing.TB
	yard *yard
	name string
	home string

	toServer, toRemote *wire
}

func (y *yard) machine(name string) *machine {
	y.Helper()
	m := &machine{TB: y.TB, yard: y, name: name, home: filepath.Join(y.dir, name), toServer: newWire(y.TB, y.server.address), toRemote: newWire(y.TB, y.remote.door(name))}
	y.Cleanup(m.end) // before the wires go
	m.write(".gitconfig", "[user]\n\tname = "+name+"\n\temail = "+name+"@example.com\n[http]\n\tproxy = http://"+m.toRemote.address()+"\n[init]\n\tdefaultBranch = main\n")
	m.write(".config/refrain/config.toml", `
agent = "scripted"

[agents.scripted]
command = ["bash", "`+y.agent+`"]
format = "rehearsal"

[sandbox]
mode = "none"

[fleet]
address = "`+m.toServer.address()+`"
`)
	return m
}

func (m *machine) write(name, text string) {
	m.Helper()
	path := filepath.Join(m.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

// environ is the whole environment of what is started on a machine.
func (m *machine) environ() []string {
	return []string{
		"PATH=" + m.yard.programs + ":" + os.Getenv("PATH"), "HOME=" + m.home, "SHELL=/bin/bash", "TERM=dumb", "LC_ALL=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "YARD_NOTES=" + m.yard.notes, "YARD_MACHINE=" + m.name,
	}
}

// command is a program that is ready to start in a folder, which is below the home.
func (m *machine) command(dir, name string, args ...string) *exec.Cmd {
	if strings.HasPrefix(name, "refrain") {
		name = filepath.Join(m.yard.programs, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Join(m.home, dir), m.environ()
	return cmd
}

// must runs a program that has to end well, and gives what it printed on stdout.
func (m *machine) must(dir, name string, args ...string) string {
	m.Helper()
	out, err := m.try(dir, name, args...)
	if err != nil {
		m.Fatal(err)
	}
	return out
}

// try runs a program, and gives what it printed on stdout.
func (m *machine) try(dir, name string, args ...string) (string, error) {
	cmd := m.command(dir, name, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %q: %w\n%s", name, args, err, &stderr)
	}
	return out.String(), nil
}

// cut breaks both ways of a machine, or mends them.
func (m *machine) cut(how cut) {
	m.toServer.set(how)
	m.toRemote.set(how)
}

// send sends a signal to everything that runs on the machine, and tells to how many.
func (m *machine) send(s syscall.Signal) (sent int) {
	for _, pid := range processesOf(m.TB, m.home) {
		if syscall.Kill(pid, s) == nil {
			sent++
		}
	}
	return sent
}

// freeze stops everything on the machine, as a laptop does that is closed. A process
// may begin another one meanwhile, so it looks twice.
func (m *machine) freeze() {
	m.send(syscall.SIGSTOP)
	m.send(syscall.SIGSTOP)
}

// thaw lets it go on.
func (m *machine) thaw() { m.send(syscall.SIGCONT) }

// end ends what is left on the machine.
func (m *machine) end() {
	m.yard.until("nothing is left on "+m.name, func() bool { return m.send(syscall.SIGKILL) == 0 })
}

// idle checks that nothing is left on the machine but these, when what is about to end
// has ended.
func (m *machine) idle(within time.Duration, but ...int) {
	m.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		left := slices.DeleteFunc(processesOf(m.TB, m.home), func(pid int) bool { return slices.Contains(but, pid) })
		if len(left) == 0 {
			return
		}
		if time.Now().Before(deadline) {
			continue
		}
		for _, pid := range left {
			m.Errorf("on %s process %d is alive after %v: %s", m.name, pid, within, argsOf(pid))
		}
		return
	}
}
