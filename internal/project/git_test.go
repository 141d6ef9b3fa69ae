package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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

func TestARootIsFound(t *testing.T) {
	tests := []struct {
		name  string
		setUp func(t *testing.T, root string)
		tree  string // below root
		want  string // below root; empty is an error
	}{
		{
			"a plain folder is its own",
			func(t *testing.T, root string) { mkdir(t, root, "a") },
			"a", "a",
		},
		{
			"a git work tree",
			func(t *testing.T, root string) { git(t, root, "init", "-q", "a") },
			"a", "a",
		},
		{
			"a folder deep in a git work tree belongs to that",
			func(t *testing.T, root string) { git(t, root, "init", "-q", "a"); mkdir(t, root, "a/b/c") },
			"a/b/c", "a",
		},
		{
			"a linked work tree belongs to the main one",
			func(t *testing.T, root string) {
				git(t, root, "init", "-q", "a")
				git(t, filepath.Join(root, "a"), "commit", "-q", "--allow-empty", "-m", "x")
				git(t, filepath.Join(root, "a"), "worktree", "add", "-q", "../b")
			},
			"b", "a",
		},
		{
			"a git folder elsewhere is followed",
			func(t *testing.T, root string) { git(t, root, "init", "-q", "--separate-git-dir", "elsewhere", "a") },
			"a", "elsewhere",
		},
		{
			"a relative gitdir, as submodules have it, is followed",
			func(t *testing.T, root string) {
				git(t, root, "init", "-q", "a")
				writeFile(t, filepath.Join(root, "a/.git/modules/m/HEAD"), "ref: refs/heads/main\n")
				writeFile(t, filepath.Join(root, "a/m/.git"), "gitdir: ../.git/modules/m\n")
			},
			"a/m", "a/.git/modules/m",
		},
		{
			"an empty .git folder is passed over, as git does",
			func(t *testing.T, root string) { git(t, root, "init", "-q", "a"); mkdir(t, root, "a/b/.git") },
			"a/b", "a",
		},
		{
			"a symbolic link leads to the same place",
			func(t *testing.T, root string) {
				git(t, root, "init", "-q", "a")
				if err := os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "link")); err != nil {
					t.Skip(err)
				}
			},
			"link", "a",
		},
		{
			"a .git file that leads nowhere is an error",
			func(t *testing.T, root string) {
				writeFile(t, filepath.Join(root, "a/.git"), "gitdir: /nowhere/at/all\n")
			},
			"a", "",
		},
		{
			"a .git file with something else in it is an error",
			func(t *testing.T, root string) { writeFile(t, filepath.Join(root, "a/.git"), "hello\n") },
			"a", "",
		},
		{"a folder that is not there is an error", func(*testing.T, string) {}, "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := realDir(t)
			tt.setUp(t, root)
			state := filepath.Join(root, "state")
			p, err := FindIn(state, filepath.Join(root, tt.tree))
			if tt.want == "" {
				if err == nil {
					t.Errorf("FindIn = %+v, want an error", p)
				}
				return
			}
			if want := filepath.Join(root, tt.want); err != nil || p.Root != want {
				t.Errorf("FindIn = %q, %v, want %q", p.Root, err, want)
			}
			if _, err := os.Stat(state); !os.IsNotExist(err) {
				t.Errorf("FindIn has made %s (%v), want nothing made", state, err)
			}
		})
	}
}

func mkdir(t *testing.T, root, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
