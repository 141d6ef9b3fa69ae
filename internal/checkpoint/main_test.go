package checkpoint

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
		"GIT_CEILING_DIRECTORIES": filepath.Dir(os.TempDir()),
		"GIT_TEST_FSYNC":          "0", // the disk need not keep what a test wrote
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// folder is a work tree that a test acts on.
type folder struct {
	t   testing.TB
	dir string
}

func newFolder(t testing.TB) folder {
	t.Helper()
	return folder{t, t.TempDir()}
}

// newRepository has one commit with the files a.txt, b.txt and .gitignore.
func newRepository(t testing.TB) folder {
	t.Helper()
	f := newFolder(t)
	f.git("init", "-q", "--template=")
	f.write("a.txt", "one")
	f.write("b.txt", "two")
	f.write(".gitignore", "*.log\nbuild/\n")
	f.commit("first")
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) git(args ...string) {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// gitFails runs a command that git is expected to refuse.
func (f folder) gitFails(args ...string) {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	if err := cmd.Run(); err == nil {
		f.t.Fatalf("git %q succeeded", args)
	}
}

func (f folder) commit(message string) {
	f.t.Helper()
	f.git("add", "-A")
	f.git("commit", "-q", "-m", message)
}

// Every write of the tests has a time of its own, whole seconds apart since git
// may look at no more. The clock of the file system may stand still.
var (
	began  = time.Now().Add(-24 * time.Hour)
	writes atomic.Int64
)

func (f folder) write(name, text string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.path(name)), 0o700))
	f.must(os.WriteFile(f.path(name), []byte(text), 0o600))
	at := began.Add(time.Duration(writes.Add(1)) * time.Second)
	f.must(os.Chtimes(f.path(name), at, at))
}

func (f folder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) open(ignore ...string) *git.Tree {
	f.t.Helper()
	tree, err := git.Open(f.t.Context(), f.dir, ignore)
	f.must(err)
	return tree
}

func (f folder) print(tree *git.Tree) Fingerprint {
	f.t.Helper()
	p, err := FingerprintOf(f.t.Context(), tree)
	f.must(err)
	return p
}

// story is something that happens to a work tree, and how it should look.
type story struct {
	name   string
	before func(folder)
	act    func(folder)
	want   []loop.ProgressBy
}

var (
	nothing = []loop.ProgressBy(nil)
	inFiles = []loop.ProgressBy{loop.InFiles}
	commits = []loop.ProgressBy{loop.InCommits}
	both    = []loop.ProgressBy{loop.InFiles, loop.InCommits}
)

func (s story) check(t *testing.T, f folder, tree *git.Tree) {
	t.Helper()
	f.t = t
	if s.before != nil {
		s.before(f)
	}
	before := f.print(tree)
	if again := f.print(tree); before != again {
		t.Fatalf("two prints of the same tree differ: %+v, %+v", before, again)
	}
	s.act(f)
	if got := before.Signals(f.print(tree)); !slices.Equal(got, s.want) {
		t.Errorf("signals = %q, want %q", got, s.want)
	}
}

// output is what git prints.
func (f folder) output(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = f.dir
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (f folder) read(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(f.path(name))
	f.must(err)
	return string(b)
}

func (f folder) commitEmpty(message string) {
	f.t.Helper()
	f.git("commit", "-q", "--allow-empty", "-m", message)
}

func (f folder) exists(name string) bool {
	_, err := os.Lstat(f.path(name))
	return err == nil
}

func (f folder) hook(name, script string) {
	f.t.Helper()
	f.write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	f.must(os.Chmod(f.path(".git/hooks/"+name), 0o700))
}
