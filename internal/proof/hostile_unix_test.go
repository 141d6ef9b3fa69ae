//go:build unix

package proof

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
)

func pipe(t *testing.T, path string) {
	t.Helper()
	write(t, path, "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Settings that are no files are seen, and not waited for.
func TestPipesAroundAreNotWaitedFor(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home, "GOENV=" + filepath.Join(home, "goenv")}
	before := lookAround(env, nil, Settings{})
	pipe(t, filepath.Join(home, ".npmrc"))
	pipe(t, filepath.Join(home, "goenv"))
	if got := lookAround(env, nil, Settings{}).against(before); len(got) != 2 {
		t.Errorf("changed: %q, want the two pipes", got)
	}
	if got := goFlags(env); got != "" {
		t.Errorf("goFlags = %q", got)
	}
	if got := contentOf(filepath.Join(home, ".npmrc")); got == "" {
		t.Error("a file that has become a pipe has no mark")
	}
}

// What a gate's command leads to may be anything.
func TestAScriptThatIsAPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "check.sh"), "true\n")
	tree, err := git.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Git() {
		t.Skip("the temporary folder is in a repository")
	}
	store, err := checkpoint.OpenStore(t.Context(), tree, filepath.Join(t.TempDir(), "objects"), "")
	if err != nil {
		t.Fatal(err)
	}
	first, err := store.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j := &Judge{Gates: []Gate{{Line: "sh check.sh"}}, Proof: Settings{Tree: dir}, Store: store, Dir: dir, First: &first}
	for name, make := range map[string]func(string) error{
		"a pipe":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a device":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"a file outside": func(path string) error { return os.Symlink("/etc/passwd", path) },
	} {
		if err := os.Remove(filepath.Join(dir, "check.sh")); err != nil {
			t.Fatal(err)
		}
		if err := make(filepath.Join(dir, "check.sh")); err != nil {
			t.Fatal(err)
		}
		at, err := store.Checkpoint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.listedChanges(t.Context(), at); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotesThatAreAPipeAreTakenAway(t *testing.T) {
	s := Settings{Dir: t.TempDir()}
	pipe(t, filepath.Join(s.Dir, checkpoint.TempFile))
	if _, err := s.temp(); err == nil {
		t.Error("a folder was noted in a pipe")
	}
	if err := checkpoint.RemoveTemporary(s.Dir); err != nil {
		t.Fatal(err)
	}
	dir, err := s.temp()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.RemoveTemporary(s.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder that was noted is still there")
	}
}
