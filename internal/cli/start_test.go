package cli

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxInit is what all packages together may allocate before main. It is a count, the
// same on every machine: each command pays for it, and the keeper of each run. A third
// of what is left is the schemas and codecs of the MCP library.
const maxInit = 400 << 10

func TestLittleIsSetUpBeforeMain(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "refrain")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/refrain").CombinedOutput(); err != nil {
		t.Fatalf("build refrain: %v\n%s", err, out)
	}
	all, list := initOf(t, program)
	if all > maxInit {
		t.Errorf("the packages allocate %d bytes before main, more than %d. The largest:\n%s\nmake it when it is first needed: sync.OnceValue, text.NewPattern",
			all, maxInit, strings.Join(list[:10], "\n"))
	}
}

// initOf is what packages allocate before main: all, and each, the largest first.
func initOf(t testing.TB, program string) (all int, list []string) {
	t.Helper()
	cmd := exec.Command(program, "--version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	type part struct {
		name  string
		bytes int
	}
	var parts []part
	for line := range strings.Lines(trace.String()) {
		f := strings.Fields(line) // init NAME @0.1 ms, 0.2 ms clock, 3 bytes, 4 allocs
		if len(f) < 11 || f[0] != "init" || f[8] != "bytes," {
			continue
		}
		n, err := strconv.Atoi(f[7])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		parts = append(parts, part{f[1], n})
		all += n
	}
	if len(parts) < 20 {
		t.Fatalf("only %d packages are set up, by\n%s", len(parts), trace.String())
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, p := range parts {
		list = append(list, fmt.Sprintf("%8d %s", p.bytes, p.name))
	}
	return all, list
}
