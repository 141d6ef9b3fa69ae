package archtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What fleets are made of is larger than all of refrain, and is the other program's.
var onlyOfWorkers = []string{
	"go.temporal.io/", "google.golang.org/grpc",
	module + "/internal/flow", module + "/internal/desk", module + "/internal/dispatch",
}

func TestRefrainIsMadeWithoutAFleet(t *testing.T) {
	for program, want := range map[string]bool{"refrain": false, "refrain-worker": true} {
		cmd := exec.Command("go", "list", "-deps", "./cmd/"+program)
		cmd.Dir = moduleRoot(t)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("list what %s is made of: %v", program, err)
		}
		list := strings.Fields(string(out))
		for _, begins := range onlyOfWorkers {
			i := slices.IndexFunc(list, func(pkg string) bool { return strings.HasPrefix(pkg, begins) })
			if has := i >= 0; has != want {
				t.Errorf("%s has packages of %s: %v, want %v", program, begins, has, want)
			}
		}
	}
}
