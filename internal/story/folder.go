package story

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
)

// GitWorld has git, as tests run it, know nobody's settings and a made-up person.
// It is for TestMain.
func GitWorld() {
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
}

// Folder is a work tree that a test acts on.
type Folder struct {
	T   testing.TB
	Dir string
}

// NewFolder is an empty one.
func NewFolder(t testing.TB) Folder {
	t.Helper()
	return Folder{t, t.TempDir()}
}

// NewRepository has one commit with the files a.txt, b.txt and .gitignore.
func NewRepository(t testing.TB) Folder {
	t.Helper()
	f := NewFolder(t)
	f.Git("init", "-q", "--template=")
	f.Write("a.txt", "one")
	f.Write("b.txt", "two")
	f.Write(".gitignore", "*.log\nbuild/\n")
	f.Commit("first")
	return f
}

// Path is where a file of the folder is.
func (f Folder) Path(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// Git runs a command of git's.
func (f Folder) Git(args ...string) {
	f.T.Helper()
	if out, err := f.command(args).CombinedOutput(); err != nil {
		f.T.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// GitFails runs a command that git is expected to refuse.
func (f Folder) GitFails(args ...string) {
	f.T.Helper()
	if err := f.command(args).Run(); err == nil {
		f.T.Fatalf("git %q succeeded", args)
	}
}

// Output is what git prints.
func (f Folder) Output(args ...string) string {
	f.T.Helper()
	out, err := f.command(args).Output()
	if err != nil {
		f.T.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (f Folder) command(args []string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = f.Dir
	return cmd
}

// Commit commits everything.
func (f Folder) Commit(message string) {
	f.T.Helper()
	f.Git("add", "-A")
	f.Git("commit", "-q", "-m", message)
}

// CommitEmpty commits nothing.
func (f Folder) CommitEmpty(message string) {
	f.T.Helper()
	f.Git("commit", "-q", "--allow-empty", "-m", message)
}

// Every write of the tests has a time of its own, whole seconds apart since git
// may look at no more. The clock of the file system may stand still.
var (
	began  = time.Now().Add(-24 * time.Hour)
	writes atomic.Int64
)

// Write writes a file, and the folders that it is in.
func (f Folder) Write(name, text string) {
	f.T.Helper()
	f.Must(os.MkdirAll(filepath.Dir(f.Path(name)), 0o700))
	f.Must(os.WriteFile(f.Path(name), []byte(text), 0o600))
	at := began.Add(time.Duration(writes.Add(1)) * time.Second)
	f.Must(os.Chtimes(f.Path(name), at, at))
}

// Read is what a file holds.
func (f Folder) Read(name string) string {
	f.T.Helper()
	b, err := os.ReadFile(f.Path(name))
	f.Must(err)
	return string(b)
}

// Exists tells whether anything is there.
func (f Folder) Exists(name string) bool {
	_, err := os.Lstat(f.Path(name))
	return err == nil
}

// Must ends the test when something went wrong.
func (f Folder) Must(err error) {
	f.T.Helper()
	if err != nil {
		f.T.Fatal(err)
	}
}

// Snapshot is every file of the tree with all there is to know about it. A folder
// without a file is not kept, so it is not in it.
func (f Folder) Snapshot() string {
	f.T.Helper()
	var b strings.Builder
	f.Must(filepath.WalkDir(f.Dir, func(at string, d fs.DirEntry, err error) error {
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
