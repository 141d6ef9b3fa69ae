package git

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
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

func (f folder) open(ignore ...string) *Tree {
	f.t.Helper()
	tree, err := Open(f.t.Context(), f.dir, ignore)
	f.must(err)
	return tree
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

func (f folder) snapshot() string {
	f.t.Helper()
	var b strings.Builder
	f.must(filepath.WalkDir(f.dir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var holds []byte
		if info.Mode()&fs.ModeSymlink != 0 {
			target, linkErr := os.Readlink(at)
			holds, err = []byte(target), linkErr
		} else {
			holds, err = os.ReadFile(at)
		}
		fmt.Fprintf(&b, "%q %v %q\n", at, info.Mode(), holds)
		return err
	}))
	return b.String()
}
