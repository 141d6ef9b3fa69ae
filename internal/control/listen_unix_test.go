//go:build unix

package control

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSocketIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(shortDir(t), "refrain")
	l, path, err := listen([]string{dir}, "loop_1")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, path: fs.ModeSocket | 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("the mode of %s is %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestFolderThatWillNotDo(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"open to others", func(t *testing.T, dir string) { mkdir(t, dir, 0o777) }, "is open to other users"},
		{"readable by others", func(t *testing.T, dir string) { mkdir(t, dir, 0o755) }, "is open to other users"},
		{"a link to a good one", func(t *testing.T, dir string) {
			if err := os.Symlink(shortDir(t), dir); err != nil {
				t.Fatal(err)
			}
		}, "is not a folder"},
		{"another user's", func(t *testing.T, dir string) {
			mkdir(t, dir, 0o700)
			if err := os.Chown(dir, 12345, -1); err != nil {
				t.Skipf("only the administrator can give a folder away: %v", err)
			}
		}, "belongs to another user"},
		{"in no folder", func(*testing.T, string) {}, "no such file or directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad, good := filepath.Join(shortDir(t), "bad"), filepath.Join(shortDir(t), "good")
			if tt.name == "in no folder" {
				bad = filepath.Join(bad, "x")
			}
			tt.make(t, bad)
			if _, _, err := listen([]string{bad}, "loop_1"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("listen gives %v, want %q", err, tt.want)
			}
			l, path, err := listen([]string{bad, good}, "loop_1")
			if err != nil || filepath.Dir(path) != good {
				t.Fatalf("the socket is %s, %v, want it in %s", path, err, good)
			}
			l.Close()
		})
	}
}

func mkdir(t *testing.T, dir string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.Mkdir(dir, mode), os.Chmod(dir, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestPathThatIsTooLong(t *testing.T) {
	long := filepath.Join(shortDir(t), strings.Repeat("x", longestPath))
	_, err := Serve(Options{ID: "loop_1", Folders: []string{long}})
	if err == nil || !strings.Contains(err.Error(), "is too long for a socket") {
		t.Errorf("Serve gives %v", err)
	}
	if _, err := os.Lstat(long); !os.IsNotExist(err) {
		t.Errorf("the folder was made all the same: %v", err)
	}
	l, path, err := listen([]string{long, shortDir(t)}, "loop_1")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if len(path) > longestPath {
		t.Errorf("the socket has the path %s", path)
	}
	if _, err := Serve(Options{ID: "loop_1"}); err == nil {
		t.Error("Serve needs no folder")
	}
}

func TestLongestPathWorks(t *testing.T) {
	dir := shortDir(t)
	dir = filepath.Join(dir, strings.Repeat("x", longestPath-len(filepath.Join(dir, "/", socketName("loop_1")))-1))
	l, path, err := listen([]string{dir}, "loop_1")
	if err != nil || len(path) != longestPath {
		t.Fatalf("the socket is %s with %d bytes, %v", path, len(path), err)
	}
	l.Close()
}

// leaveSocket makes a socket as a process leaves it that is killed.
func leaveSocket(t *testing.T, path string, age time.Duration) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	makeOld(t, path, age)
}

func makeOld(t *testing.T, path string, age time.Duration) {
	t.Helper()
	then := time.Now().Add(-age)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestSocketsOfKilledRunsAreSwept(t *testing.T) {
	dir := shortDir(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	leaveSocket(t, in("dead-1.sock"), time.Hour)
	leaveSocket(t, in("young-1.sock"), 0)
	leaveSocket(t, in("young-99999999.sock"), 0) // of a process that has ended
	leaveSocket(t, in("other"), time.Hour)
	leaveSocket(t, in(socketName("loop_1")), 0) // of a process that had our number
	if err := os.WriteFile(in("file.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	makeOld(t, in("file.sock"), time.Hour)
	alive, err := net.Listen("unix", in("alive-1.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	makeOld(t, in("alive-1.sock"), time.Hour)

	l, _, err := listen([]string{dir}, "loop_1")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{"alive-1.sock", "file.sock", "other", "young-1.sock", socketName("loop_1")}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}

func TestSocketThatSomebodyAnswersOnIsLeftAlone(t *testing.T) {
	s := serving(t, nil)
	dir := filepath.Dir(s.Address())
	if _, _, err := listen([]string{dir}, "loop_1"); err == nil {
		t.Error("a second server has the same socket")
	}
	if _, err := s.client.Run(t.Context()); err != nil {
		t.Errorf("the first does not answer any more: %v", err)
	}
}

func TestFolders(t *testing.T) {
	runtime := shortDir(t)
	t.Setenv("TMPDIR", "/var/scratch")
	for _, tt := range []struct{ name, state, runtime, first string }{
		{"a folder that agents cannot write comes first", "/home/u/.local/state/refrain", runtime, "/home/u/.local/state/refrain/sockets"},
		{"then the runtime folder", "", runtime, runtime + "/refrain"},
		{"without one it is a folder of our own", "", "", "/var/scratch/refrain-"},
		{"one that is not there is none", "", runtime + "/x", "/var/scratch/refrain-"},
		{"one that leads anywhere is none", "", ".", "/var/scratch/refrain-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := Folders(func(string) string { return tt.runtime }, tt.state)
			if !strings.HasPrefix(list[0], tt.first) || !strings.HasPrefix(list[len(list)-1], "/tmp/refrain-") {
				t.Errorf("Folders() = %v, want %s… first and /tmp last", list, tt.first)
			}
		})
	}
}
