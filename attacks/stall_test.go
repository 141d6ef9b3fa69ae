package attacks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stall is a command that was not over in time, with what was alive then.
type stall struct {
	alive   []process
	foreign bool // what stands still is a program of the scenario, for which the runner waits
}

func (s *stall) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "it stalls: not over after %s; alive:", patience)
	for _, p := range s.alive {
		fmt.Fprintf(&b, "\n  %s of %s, %s in %s: %s", p.pid, p.parent, p.program, p.waits, p.line)
	}
	return b.String()
}

// process is what the system says of one.
type process struct{ pid, parent, program, waits, line string }

// stalled looks which processes of this world are alive.
func (w *world) stalled() *stall {
	s := &stall{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		if p, ok := inspect(folder, "WORLD="+w.root); ok {
			s.alive = append(s.alive, p)
		}
	}
	s.foreign = foreign(s.alive)
	return s
}

// inspect reads of a process that has a variable what tells why it waits.
func inspect(folder, variable string) (process, bool) {
	read := func(name string) []byte {
		text, _ := os.ReadFile(filepath.Join(folder, name)) // one that is gone by now has nothing in it
		return text
	}
	if !slices.Contains(strings.Split(string(read("environ")), "\x00"), variable) {
		return process{}, false
	}
	program, _ := os.Readlink(filepath.Join(folder, "exe"))
	p := process{pid: filepath.Base(folder), program: filepath.Base(program), waits: string(read("wchan"))}
	for line := range strings.Lines(string(read("status"))) {
		if value, ok := strings.CutPrefix(line, "PPid:"); ok {
			p.parent = strings.TrimSpace(value)
		}
	}
	p.line = strings.TrimSpace(string(bytes.ReplaceAll(read("cmdline"), []byte{0}, []byte{' '})))
	return p, true
}

// foreign tells whether all that the others wait for is node.
func foreign(alive []process) bool {
	found := false
	for _, p := range alive {
		if slices.ContainsFunc(alive, func(other process) bool { return other.parent == p.pid }) {
			continue // it waits for that one
		}
		if p.program != "node" {
			return false
		}
		found = true
	}
	return found
}

func TestForeign(t *testing.T) {
	runner := process{pid: "1", parent: "0", program: "attacks.test"}
	shell := process{pid: "2", parent: "1", program: "dash"}
	npm := process{pid: "3", parent: "2", program: "node"}
	test := process{pid: "4", parent: "3", program: "node"}
	git := process{pid: "5", parent: "1", program: "git"}
	for _, c := range []struct {
		name  string
		alive []process
		want  bool
	}{
		{"nothing is alive", nil, false},
		{"the runner waits for nothing", []process{runner}, false},
		{"the runner waits for a shell", []process{runner, shell}, false},
		{"the runner waits for npm's tests", []process{runner, shell, npm, test}, true},
		{"the runner waits for git too", []process{runner, shell, npm, git}, false},
	} {
		if got := foreign(c.alive); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
