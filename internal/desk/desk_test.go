package desk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestARunGoesFromWorkerToWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	a, b := w.desk("a"), w.desk("b")
	s := w.spec()
	for n, d := range []*Desk{a, b, b} {
		out := w.leg(d, s, n+1)
		want := loop.Parked
		if n == 2 {
			want = loop.Done
		}
		if out.State != want || out.Iterations != n+1 || out.Leg != n+1 || out.Worker != d.Worker || out.Stuck {
			t.Fatalf("leg %d: %+v", n+1, out)
		}
		if got := w.hub("rev-parse", "refs/heads/refrain/build"); got != out.Head {
			t.Errorf("leg %d: the branch is at %s, want %s", n+1, got, out.Head)
		}
	}
	if got := w.hub("show", "refrain/build:work"); got != allWork {
		t.Errorf("the work is %q", got)
	}
}

// A worker's own settings are its own: those of another one are no loosening of the run.
func TestWorkersHaveSettingsOfTheirOwn(t *testing.T) {
	w := newWorld(t, agent())
	s := w.spec()
	w.leg(w.desk("a"), s, 1)
	own := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", own)
	if err := os.MkdirAll(filepath.Join(own, "refrain"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "refrain", "config.toml"), []byte("ask.timeout = \"1h\"\nsandbox.hide = [\"~/keys\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := w.leg(w.desk("b"), s, 2); out.State != loop.Parked || out.Iterations != 2 {
		t.Errorf("leg 2 on a worker with other settings: %+v, want one iteration more", out)
	}
}

// A worker whose commits nobody could tell from others does not begin.
func TestAWorkerWithoutANameDoesNotBegin(t *testing.T) {
	w := newWorld(t, agent())
	w.write("unnamed", "[user]\n\tuseConfigOnly = true\n")
	t.Setenv("GIT_CONFIG_GLOBAL", w.at("unnamed"))
	for _, name := range []string{"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	var unnamed *UnnamedError
	if _, err := New(w.options("a")); !errors.As(err, &unnamed) {
		t.Errorf("error = %v, want that it has no name", err)
	}
	w.write("unnamed", "[user]\n\tname = A\n\temail = a@example.com\n")
	w.desk("a")
}
