//go:build unix

package gate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// here is a place in an empty folder.
func here(t *testing.T) Place {
	t.Helper()
	return Place{Where: loop.InWorkspace, Dir: t.TempDir(), Env: os.Environ(), Exec: proc.Run}
}

// What the test runner of Go says of three packages.
const (
	goPasses  = `printf 'ok  \ta\t0.1s\nok  \tb\t0.1s\n'`
	goFails   = `printf -- '--- FAIL: TestA (0.00s)\n    a_test.go:7: got 1\nFAIL\nFAIL\ta\t0.1s\nok  \tb\t0.1s\n'`
	goNoTests = `printf '?   \ta\t[no test files]\n'`
	tapSkips  = `printf 'TAP version 13\n1..2\nok 1 - a # SKIP\nok 2 - b # SKIP\n'`
)

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		name   string
		run    string
		least  int
		expect int
		why    string // empty: it passes
	}{
		{"exit 0 passes", "true", 0, 0, ""},
		{"any other exit does not", "exit 3", 0, 0, "exit 3"},
		{"failing tests are the reason", goFails + "; exit 1", 0, 0, "1 of 2 tests"},
		{"failing tests are seen behind an exit of 0", goFails + " | cat", 0, 0, "exited 0 although 1 of 2 tests failed"},
		{"failing tests are seen on stderr", "{ " + goFails + "; } >&2", 0, 0, "exited 0 although 1 of 2 tests failed"},
		{"passing tests do not make up for the exit", goPasses + "; exit 1", 0, 0, "exit 1"},
		{"enough tests", goPasses, 2, 0, ""},
		{"too few tests", goPasses, 3, 0, "2 tests ran, 3 wanted"},
		{"no test ran, one is wanted", goNoTests, 1, 0, "no tests ran, 1 wanted"},
		{"no test runner was seen, one test is wanted", "true", 1, 0, "no tests seen, 1 wanted"},
		{"a skipped test did not run", tapSkips, 1, 0, "no tests ran (2 skipped), 1 wanted"},
		{"no test ran, none ever did", goNoTests, 0, 0, "no tests ran"},
		{"no test ran, some did before", goNoTests, 0, 12, "ran no tests; it ran 12 before"},
		{"no test runner was seen, but was before", "true", 0, 12, "ran no tests; it ran 12 before"},
		{"all were skipped, some ran before", tapSkips, 0, 2, "ran no tests; it ran 2 before"},
		{"fewer tests than before are still tests", goPasses, 0, 12, ""},
		{"a program that is not there", "no-such-program --x", 0, 0, "not found: no-such-program"},
		{"a program that a script does not find", "echo 'sh: 1: jest: not found' >&2; exit 127", 0, 0, "not found: jest"},
		{"exit 127 for another reason", "exit 127", 0, 0, "exit 127"},
		{"killed", "kill -9 $$", 0, 0, "killed by KILL"},
		{"stdin is empty", "! read line", 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := here(t)
			p.Expect = tt.expect
			r := Command(Settings{Name: "test", Run: tt.run, MinTests: tt.least}).Check(t.Context(), p)
			if r.Why != tt.why || r.OK != (tt.why == "") || r.Interrupted {
				t.Errorf("%q: OK %v, why %q, interrupted %v; want why %q\noutput: %s", tt.run, r.OK, r.Why, r.Interrupted, tt.why, r.Tail)
			}
		})
	}
}

func TestCommandTellsWhatItSaw(t *testing.T) {
	p := here(t)
	var log bytes.Buffer
	p.Log = &log
	p.Env = append(p.Env, "COLOUR=\x1b[31m")
	run := `printf '%sred\n' "$COLOUR"; pwd; ` + goFails + "; exit 1"
	r := Command(Settings{Name: "test", Run: run}).Check(t.Context(), p)
	if r.Name != "test" || r.Where != loop.InWorkspace || r.Exit == nil || *r.Exit != 1 || r.Duration <= 0 {
		t.Errorf("gate = %+v", r.Gate)
	}
	if r.Gate.Tests != 2 || r.Tests == nil || r.Tests.Failed != 1 || r.Report == nil || r.Report.Failing[0].Name == "" {
		t.Errorf("tests = %d, %+v, %+v", r.Gate.Tests, r.Tests, r.Report)
	}
	dir, _ := filepath.EvalSymlinks(p.Dir)
	if want := "red\n" + dir + "\n--- FAIL: TestA"; !strings.HasPrefix(r.Tail, want) {
		t.Errorf("tail %q does not begin with %q", r.Tail, want)
	}
	if want := "\x1b[31mred\n"; !strings.HasPrefix(log.String(), want) {
		t.Errorf("log %q does not begin with %q", log.String(), want)
	}
}

func TestCommandTellsWhatIsMissing(t *testing.T) {
	run := `echo "Error: Cannot find module 'left-pad'"; i=0; while [ $i -lt 900 ]; do echo "    at a place that says no more than any other $i"; i=$((i+1)); done; exit 1`
	r := Command(Settings{Name: "test", Run: run}).Check(t.Context(), here(t))
	if want := "Error: Cannot find module 'left-pad'"; r.Telling != want {
		t.Errorf("telling %q, want %q", r.Telling, want)
	}
	if len(r.Tail) > tailSize || !strings.HasPrefix(r.Tail, "    at a place") || !strings.HasSuffix(r.Tail, "other 899") {
		t.Errorf("the tail is not whole lines at the end: %q", r.Tail)
	}
}

func TestCommandTakesTooLong(t *testing.T) {
	r := Command(Settings{Name: "test", Run: goPasses + "; sleep 60", Timeout: 50 * time.Millisecond}).Check(t.Context(), here(t))
	if r.OK || r.Why != "timed out after 50ms" || r.Exit != nil || r.Interrupted {
		t.Errorf("result = %+v", r)
	}
}

func TestCommandInterrupted(t *testing.T) {
	p := here(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.Exec = func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		s.Started = func(int, time.Time) { cancel() }
		return proc.Run(ctx, s)
	}
	r := Command(Settings{Name: "test", Run: "sleep 60"}).Check(ctx, p)
	if r.OK || !r.Interrupted || r.Why != "interrupted" {
		t.Errorf("result = %+v", r)
	}
}

func TestCommandCannotStart(t *testing.T) {
	p := here(t)
	p.Dir = filepath.Join(p.Dir, "gone")
	r := Command(Settings{Name: "test", Run: "true"}).Check(t.Context(), p)
	if r.OK || !strings.HasPrefix(r.Why, "could not start: ") || r.Exit != nil {
		t.Errorf("result = %+v", r)
	}
}

func TestRunSetup(t *testing.T) {
	p := here(t)
	if r := RunSetup(t.Context(), "echo installed > file", p, time.Minute); !r.OK || r.Name != "setup" {
		t.Errorf("result = %+v", r)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "file")); err != nil {
		t.Error(err)
	}
	r := RunSetup(t.Context(), "echo 'npm ERR! connect ECONNREFUSED 127.0.0.1:9' >&2; exit 1", p, time.Minute)
	if r.OK || r.Why != "exit 1" || !strings.Contains(r.Telling, "ECONNREFUSED") {
		t.Errorf("result = %+v", r)
	}
}
