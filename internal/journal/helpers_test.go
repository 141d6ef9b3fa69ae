package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// newStore is an empty state folder outside any git repository.
func newStore(t testing.TB) Store {
	t.Helper()
	dir := t.TempDir()
	return Store{Dir: filepath.Join(dir, "state"), Tree: filepath.Join(dir, "tree")}
}

// create begins a run of procedure build.
func create(t testing.TB, s Store) *Run {
	t.Helper()
	r, err := s.Create(Meta{Procedure: "build", Version: "1.2.3", StartedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func resume(t testing.TB, s Store, name string) (*Run, Past) {
	t.Helper()
	r, past, err := s.Resume(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, past
}

// at is an event some seconds after noon.
func at(seconds, iter, attempt int, p loop.Payload) loop.Event {
	return loop.Event{Time: noon.Add(time.Duration(seconds) * time.Second), Iter: iter, Attempt: attempt, Payload: p}
}

// finish appends iterations that went well, each with the state after it.
func finish(r *Run, s loop.State, n int) loop.State {
	for range n {
		i := s.Next()
		e := at(i, i, 1, &loop.IterationFinished{
			Outcome: loop.Outcome{Result: loop.OK, Duration: loop.Millis(time.Second), Said: loop.Said{Summary: "did a thing"}},
			Verdict: loop.Verdict{Action: loop.Continue},
		})
		s = s.Sum(e)
		e.Payload.(*loop.IterationFinished).State = s
		r.Append(e)
	}
	return s
}

func types(events []loop.Event) []loop.Type {
	var list []loop.Type
	for _, e := range events {
		list = append(list, e.Type())
	}
	return list
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// startOf appends run.started and gives the state after it.
func startOf(r *Run) loop.State {
	var s loop.State
	return s.Sum(r.Append(at(0, 0, 0, &loop.RunStarted{Name: r.Meta().Name, Procedure: "build"})))
}

// realDir is a temporary folder without symbolic links in its path.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func mkdir(t *testing.T, root, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
		t.Fatal(err)
	}
}
