//go:build linux

package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkStart is what a command takes that does nothing: memory before main, and
// pages of the program and its memory that come to be there. Both are counts.
func BenchmarkStart(b *testing.B) {
	w := benchWorld(b)
	var faults []float64
	init := 0
	for b.Loop() {
		cmd := w.command(w.program, "--version")
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		faults = append(faults, float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Minflt))
		init, _ = initOf(b, w.program)
	}
	report(b, median(faults), "faults")
	report(b, float64(init)/1024, "init-KB")
}

// BenchmarkOneIteration is the processor time of a run with one instant iteration, all
// that it starts counted in.
func BenchmarkOneIteration(b *testing.B) {
	for _, place := range []string{"folder", "git"} {
		b.Run(place, func(b *testing.B) {
			w := startWorld(b, place)
			var cpu []float64
			for b.Loop() {
				cpu = append(cpu, w.measure(2, w.program, oneIteration...).cpu)
			}
			report(b, median(cpu), "cpu-ms")
		})
	}
}

var oneIteration = append([]string{"run", "-F", "PROMPT.md", "--until", "NEVER", "-n", "1", "--"}, instant...)

// BenchmarkGitBeforeTheAgent is how many git programs a run starts before its agent.
func BenchmarkGitBeforeTheAgent(b *testing.B) {
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("git is not installed")
	}
	w := startWorld(b, "git")
	note := filepath.Join(filepath.Dir(w.tree), "gits")
	dir := filepath.Join(filepath.Dir(w.tree), "bin")
	w.must("mkdir", dir)
	w.write("bin/git", "#!/bin/sh\necho git >>"+note+"\nexec "+git+" \"$@\"\n")
	w.must("chmod", "+x", filepath.Join(dir, "git"))
	for i, v := range w.env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			w.env[i] = "PATH=" + dir + ":" + path
		}
	}
	args := []string{"run", "-F", "PROMPT.md", "--until", "NEVER", "-n", "1", "--", "sh", "-c", "cat >/dev/null; echo agent >>" + note}
	before := 0
	for b.Loop() {
		w.write("gits", "")
		w.measure(2, w.program, args...)
		first, _, told := strings.Cut(string(w.must("cat", note)), "agent")
		if before = strings.Count(first, "git"); before == 0 || !told {
			b.Fatal("nobody has noted git before the agent")
		}
	}
	report(b, float64(before), "programs")
}

// startWorld is a world with a prompt, and git around it or not.
func startWorld(b *testing.B, place string) *world {
	b.Helper()
	w := benchWorld(b)
	w.write("tree/PROMPT.md", "Go on with the plan.\n")
	if place == "git" {
		w.must("git", "init", "-q")
		w.must("git", "add", "-A")
		w.must("git", "commit", "-q", "-m", "a prompt")
	}
	return w
}
