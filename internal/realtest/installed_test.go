package realtest

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
)

//go:embed agents.txt
var pinned string

// installed is the folder with the program of a CLI. Without one the test is
// skipped, and says how to get it.
func installed(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("REFRAIN_REAL_AGENTS")
	if folder == "" {
		t.Skip("REFRAIN_REAL_AGENTS names no folder with the real CLIs: run \"make test-agents\"")
	}
	bin := filepath.Join(folder, name+"-"+version(t, name), "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
		t.Skipf("%s is not installed (%v): run make test-agents AGENTS=%s", name, err, name)
	}
	return bin
}

// version is the one that is tested: that which the tests are made for, unless
// REFRAIN_REAL_VERSIONS has another, as NAME=VERSION.
func version(t *testing.T, name string) string {
	t.Helper()
	for _, other := range strings.Fields(os.Getenv("REFRAIN_REAL_VERSIONS")) {
		if version, ok := strings.CutPrefix(other, name+"="); ok {
			return version
		}
	}
	return madeFor(t, name)
}

// madeFor is the version that agents.txt has.
func madeFor(t *testing.T, name string) string {
	t.Helper()
	for line := range strings.Lines(pinned) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] != "#" && f[0] == name {
			return f[2]
		}
	}
	t.Fatalf("agents.txt has no line for %s", name)
	return ""
}

// The product says with which versions it was measured: those of the tests are among
// them.
func TestTheTestedVersionsCountAsMeasured(t *testing.T) {
	for line := range strings.Lines(pinned) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		if list := agent.TraitsOf(f[0]).Measured; !slices.Contains(list, f[2]) {
			t.Errorf("agents.txt has %s %s, and the agent was measured with %q", f[0], f[2], list)
		}
	}
}
