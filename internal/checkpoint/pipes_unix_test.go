//go:build unix

package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/glob"
)

// Nobody waits for the other end of a pipe that an agent has put where we read.
func TestPipesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(f folder, pipe func(string)){
		"the index": func(f folder, pipe func(string)) { pipe(".git/index"); f.keep(f.open()) },
		"an object": func(f folder, pipe func(string)) {
			pipe(".git/objects/ab/" + strings.Repeat("0", 38))
			f.keep(f.open())
		},
		"a pack": func(f folder, pipe func(string)) { pipe(".git/objects/pack/pack-x.idx"); f.keep(f.open()) },
		"what others lend": func(f folder, pipe func(string)) {
			pipe(".git/objects/info/alternates")
			_, _ = OpenStore(f.T.Context(), f.open(), f.Path("../s"), "")
		},
		"where the rest is": func(f folder, pipe func(string)) {
			s := f.keep(f.open())
			pipe(".git/commondir")
			s.user.locate(s.made)
		},
		"the repository": func(f folder, pipe func(string)) {
			s := f.keep(f.open())
			f.Must(os.RemoveAll(f.Path(".git")))
			pipe(".git")
			f.checkpoint(s)
		},
		"what to ignore": func(f folder, pipe func(string)) { s := f.keep(f.open()); pipe(".git/info/exclude"); f.checkpoint(s) },
		"a file":         func(f folder, pipe func(string)) { s := f.keep(f.open()); pipe("a.txt"); f.checkpoint(s) },
		"the mark of a tree": func(f folder, pipe func(string)) {
			pipe(".git/worktrees/x/refrain")
			_, _ = f.open().Worktrees().List(f.T.Context())
		},
		"the last checkpoint": func(f folder, pipe func(string)) {
			s := f.keep(f.open())
			store := folderAt(f.T, s.dir)
			f.Must(os.Remove(store.Path("HEAD")))
			f.Must(syscall.Mkfifo(store.Path("HEAD"), 0o600))
			_, _ = s.Checkpoint(f.T.Context())
		},
		"what the store knows": func(f folder, pipe func(string)) {
			s := f.keep(f.open())
			for _, name := range []string{madeForFile, shared, "config"} {
				store := folderAt(f.T, s.dir)
				f.Must(os.Remove(store.Path(name)))
				f.Must(syscall.Mkfifo(store.Path(name), 0o600))
				_, _ = OpenStore(f.T.Context(), f.open(), s.dir, "")
			}
		},
		"what is protected": func(f folder, pipe func(string)) {
			pipe("a.txt")
			patterns, err := glob.Parse([]string{"*.txt"})
			f.Must(err)
			_, err = f.open().Protected(f.T.Context(), patterns)
			f.Must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.Dir = f.Path("proj")
			f.Must(os.Mkdir(f.Dir, 0o700))
			f.Git("init", "-q", "--template=")
			f.Write("a.txt", "one")
			f.Commit("first")
			began := time.Now()
			act(f, func(name string) {
				f.Must(os.MkdirAll(filepath.Dir(f.Path(name)), 0o700))
				_ = os.Remove(f.Path(name))
				f.Must(syscall.Mkfifo(f.Path(name), 0o600))
			})
			if waited := time.Since(began); waited > time.Minute {
				t.Errorf("it waited for %v", waited)
			}
		})
	}
}
