//go:build unix

package project

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// askedAs is the folder whose root a child of this test is asked for.
const askedAs = "CONFIG_TEST_ROOT_OF"

// TestRootForAnotherUser is no test by itself: it is what runs as another user.
func TestRootForAnotherUser(t *testing.T) {
	dir := os.Getenv(askedAs)
	if dir == "" {
		t.Skip("only for TestWhatBelongsToOthers")
	}
	root, err := Root(dir, nil)
	var stranger *StrangerError
	if errors.As(err, &stranger) {
		root, err = "stranger "+stranger.Path, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("root: " + root)
}

const alice, bob = 4000, 5000

func TestWhatBelongsToOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others, and be another user")
	}
	type owners map[string]int // those that are not here are alice's
	tests := []struct {
		name string
		make []string
		of   owners
		from string
		want string // from the top; "!" begins what belongs to another user
	}{
		{"our own project above", []string{"a/refrain.toml"}, nil, "a/b/c", "a"},
		{"one of root's", []string{"a/refrain.toml"}, owners{"a": 0, "a/refrain.toml": 0}, "a/b", "a"},
		{"settings of another's in a folder that all may write to", []string{"refrain.toml"}, owners{".": 0, "refrain.toml": bob}, "a/b", "!refrain.toml"},
		{"hooks of another's there", []string{".refrain/"}, owners{".": 0, ".refrain": bob}, "a/b", "!.refrain"},
		{"a repository of another's there", []string{".git/HEAD"}, owners{".": 0, ".git": bob}, "a/b", "!.git"},
		{"our settings in a folder of another's", []string{"a/refrain.toml"}, owners{"a": bob}, "a/b", "!a"},
		{"one thing of three", []string{"a/.git/HEAD", "a/.refrain/", "a/refrain.toml"}, owners{"a/refrain.toml": bob}, "a/b", "!a/refrain.toml"},
		{"in the very folder", []string{"a/refrain.toml"}, owners{"a/refrain.toml": bob}, "a", "!a/refrain.toml"},
		{"nearer than what is another's", []string{"refrain.toml", "a/refrain.toml"}, owners{".": 0, "refrain.toml": bob}, "a/b", "a"},
		{"a folder of another's on the way ends it", []string{"refrain.toml", "a/"}, owners{"a": bob}, "a/b", "a/b"},
		{"nothing but a folder of another's", []string{"a/"}, owners{"a": bob}, "a", "a"},
		{"above the home", []string{"refrain.toml", "home/"}, nil, "home/a", "home/a"},
		{"the home", []string{"refrain.toml", "home/refrain.toml"}, nil, "home/a", "home"},
	}
	program := copyOfMyself(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := folders(t, append(tt.make, tt.from+"/"))
			give(t, top, func(rel string) int {
				if owner, ok := tt.of[rel]; ok {
					return owner
				}
				return alice
			})
			want := filepath.Join(top, tt.want)
			if path, is := strings.CutPrefix(tt.want, "!"); is {
				want = "stranger " + filepath.Join(top, path)
			}
			if got := rootAs(t, program, alice, top, filepath.Join(top, tt.from)); got != want {
				t.Errorf("Root = %s, want %s", got, want)
			}
		})
	}
}

// copyOfMyself is this program where other users can run it.
func copyOfMyself(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(open(t, t.TempDir()), "program")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// open lets all users into a temporary folder.
func open(t *testing.T, dir string) string {
	t.Helper()
	for _, dir := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// give gives everything below top to its owner, and lets all look at it.
func give(t *testing.T, top string, owner func(rel string) int) {
	t.Helper()
	open(t, top)
	err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err == nil {
			err = os.Chown(path, owner(rel), -1)
		}
		if err == nil {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rootAs is what a user is told, whose home is below top.
func rootAs(t *testing.T, program string, user uint32, top, dir string) string {
	t.Helper()
	cmd := exec.Command(program, "-test.run", "^TestRootForAnotherUser$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{askedAs + "=" + dir, "HOME=" + filepath.Join(top, "home"), "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if root, ok := strings.CutPrefix(strings.TrimSpace(line), "root: "); ok {
			return root
		}
	}
	t.Fatalf("no answer in:\n%s", out)
	return ""
}

func TestAMountPointEndsTheWalk(t *testing.T) {
	if _, err := os.Stat("/proc/sys"); err != nil {
		t.Skip("there is no /proc here")
	}
	t.Setenv("HOME", t.TempDir())
	if got, want := slices.Collect(upward("/proc/sys")), []string{"/proc/sys", "/proc"}; !slices.Equal(got, want) {
		t.Errorf("upward = %v, want %v", got, want)
	}
}
