//go:build unix

package fleettest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// processesOf finds the processes that have a home. One that has ended, and that nobody
// has asked about yet, has none any more.
func processesOf(t testing.TB, home string) []int {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no processes can be seen here (%v): a fleet is tried on Linux only", err)
	}
	var list []int
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+home+"\x00")) {
			continue // it is another's, or has ended meanwhile
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		list = append(list, pid)
	}
	return list
}

// argsOf is how a process was started.
func argsOf(pid int) string {
	b, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return strings.ReplaceAll(string(b), "\x00", " ")
}

// memoryOf is the memory that a process has for itself now, in bytes.
func memoryOf(t testing.TB, pid int) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return number(t, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB"))) << 10
		}
	}
	t.Fatalf("process %d tells no memory", pid)
	return 0
}
