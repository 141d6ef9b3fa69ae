//go:build unix

package fleettest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fakeGo stands in for Go: it notes what it is asked to install, and its programs say
// themselves of which module they are. FAIL is what it says when it cannot build.
const fakeGo = `#!/bin/sh
case $1 in
version) cat "$3" ;;
install)
	echo "$@" >>"$NOTES"
	if [ -n "$FAIL" ]; then
		echo "go: downloading something" >&2
		echo "$FAIL" >&2
		exit 1
	fi
	sleep 0.2
	printf '#!/bin/sh\n\tmod\tgithub.com/temporalio/cli\tv1.5.1\th1:x=\n' >"$GOBIN/temporal"
	chmod 755 "$GOBIN/temporal"
	;;
esac
`

// newCache is a folder for the server, with the Go that is none.
func newCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fakeGo), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// temporal asks for the server, with a Go that is none.
func temporal(t *testing.T, cache string, more ...string) (out, stderr string, exit int) {
	t.Helper()
	cmd := exec.Command("../../scripts/temporal")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + cache, "XDG_CACHE_HOME=" + cache, "GO=" + filepath.Join(cache, "go"), "NOTES=" + filepath.Join(cache, "notes")}, more...)
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return said.String(), wrong.String(), cmd.ProcessState.ExitCode()
}

// needs skips where one of the programs is missing that a script is made of.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("needs %s", p)
		}
	}
}

// Whoever asks at the same time gets the same program, and it is built once.
func TestTheServerIsBuiltOnce(t *testing.T) {
	needs(t, "bash", "flock")
	cache := newCache(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			out, stderr, exit := temporal(t, cache)
			if want := filepath.Join(cache, "refrain-fleet", "bin", "temporal") + "\n"; out != want || exit != 0 {
				t.Errorf("the server is at %q (status %d: %s), want %q", out, exit, stderr, want)
			}
		})
	}
	wg.Wait()
	notes, err := os.ReadFile(filepath.Join(cache, "notes"))
	if want := "install github.com/temporalio/cli/cmd/temporal@v1.5.1\n"; err != nil || string(notes) != want {
		t.Errorf("Go was asked for %q (%v), want %q, once", notes, err, want)
	}
}

// Where it cannot be built, one line says why, and the status is one of its own: callers
// skip then, and say so.
func TestAServerThatCannotBeBuilt(t *testing.T) {
	needs(t, "bash", "flock")
	cache := newCache(t)
	out, stderr, exit := temporal(t, cache, "FAIL=no network here")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if last := lines[len(lines)-1]; out != "" || exit != 75 || last != "temporal: github.com/temporalio/cli@v1.5.1 cannot be built: no network here" {
		t.Errorf("it prints %q, and says %q with status %d; want nothing, why, and 75", out, last, exit)
	}
	left, err := os.ReadDir(filepath.Join(cache, "refrain-fleet", "bin"))
	if err != nil || len(left) != 1 || left[0].Name() != ".lock" {
		t.Errorf("it left %v (%v)", left, err)
	}
	if _, stderr, exit := temporal(t, cache, "REFRAIN_TEMPORAL=/nowhere"); exit != 75 || !strings.Contains(stderr, "REFRAIN_TEMPORAL is /nowhere") {
		t.Errorf("a REFRAIN_TEMPORAL that is not there: status %d, %q", exit, stderr)
	}
}
