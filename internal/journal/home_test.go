package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoTrees is the store of a repository, seen from its main work tree, and the
// path of a linked one.
func twoTrees(t *testing.T) (Store, string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(top, "linked")
	git := filepath.Join(top, "main", ".git")
	admin := filepath.Join(git, "worktrees", "linked")
	for _, dir := range []string{linked, admin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(git, "HEAD"):        "ref: refs/heads/main\n",
		filepath.Join(admin, "HEAD"):      "ref: refs/heads/linked\n",
		filepath.Join(admin, "commondir"): "../..\n",
		filepath.Join(linked, ".git"):     "gitdir: " + admin + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := OpenIn(filepath.Join(top, "state"), filepath.Join(top, "main"))
	if err == nil {
		s, err = s.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, linked
}

func TestARunOfACopyIsAtHomeHere(t *testing.T) {
	s, linked := twoTrees(t)
	started(t, s, [2]string{"build", linked}, [2]string{"build", "/gone/with/the/original"})
	for name, want := range map[string]string{"build-1": linked, "build-2": s.Tree} {
		e, err := s.Load(name)
		if err != nil || e.Tree != want || e.Gone {
			t.Errorf("%s is at home in %s (gone: %v), %v; want %s", name, e.Tree, e.Gone, err, want)
		}
	}
	there := Store{Dir: s.Dir, Tree: linked}
	if e, err := there.Load("build-2"); err != nil || !e.Gone {
		t.Errorf("seen from a linked work tree the run of the main one is in %s (gone: %v), %v; want it gone", e.Tree, e.Gone, err)
	}
}

func TestARunOfALinkedWorkTreeIsTakenOverByNoOther(t *testing.T) {
	const moved = "moved"
	tests := []struct {
		name string
		act  func(t *testing.T, main, linked string)
		want string // below the folder of both; empty for gone
	}{
		{"it is there", func(*testing.T, string, string) {}, "linked"},
		{"it was deleted", func(t *testing.T, main, linked string) { removeTree(t, linked) }, ""},
		{"git removed it", func(t *testing.T, main, linked string) {
			git(t, main, "worktree", "remove", linked)
		}, ""},
		{"git moved it", func(t *testing.T, main, linked string) {
			git(t, main, "worktree", "move", linked, filepath.Join(filepath.Dir(main), moved))
		}, moved},
		{"it was moved, then repaired", func(t *testing.T, main, linked string) {
			rename(t, linked, filepath.Join(filepath.Dir(main), moved))
			git(t, main, "worktree", "repair", filepath.Join(filepath.Dir(main), moved))
		}, moved},
		{"it was moved behind the back of git", func(t *testing.T, main, linked string) {
			rename(t, linked, filepath.Join(filepath.Dir(main), moved))
		}, ""},
		{"git removed it, and packed its branch", func(t *testing.T, main, linked string) {
			git(t, main, "worktree", "remove", linked)
			git(t, main, "pack-refs", "--all")
		}, ""},
		{"it was made again", func(t *testing.T, main, linked string) {
			git(t, main, "worktree", "remove", linked)
			git(t, main, "worktree", "add", "-q", linked, "loop/x")
		}, "linked"},
		{"another repository is in its place", func(t *testing.T, main, linked string) {
			removeTree(t, linked)
			git(t, filepath.Dir(main), "init", "-q", "linked")
		}, ""},
	}
	for _, below := range []string{"", "sub"} {
		for _, tt := range tests {
			t.Run(tt.name+" "+below, func(t *testing.T) {
				top := realDir(t)
				main, linked := filepath.Join(top, "main"), filepath.Join(top, "linked")
				git(t, top, "init", "-q", "main")
				writeFile(t, filepath.Join(main, "sub", "file"), "")
				git(t, main, "add", ".")
				git(t, main, "commit", "-q", "-m", "x")
				git(t, main, "worktree", "add", "-q", "-b", "loop/x", linked)
				s, err := OpenIn(filepath.Join(top, "state"), main)
				if err == nil {
					s, err = s.Claim()
				}
				if err != nil {
					t.Fatal(err)
				}
				started(t, s, [2]string{"build", filepath.Join(linked, below)})
				tt.act(t, main, linked)
				e, err := s.Load("build-1")
				if err != nil {
					t.Fatal(err)
				}
				if tt.want != "" {
					if want := filepath.Join(top, tt.want, below); e.Tree != want || e.Gone {
						t.Errorf("it is in %s (gone: %v), want %s", e.Tree, e.Gone, want)
					}
					return
				}
				if !e.Gone || e.Tree != filepath.Join(linked, below) {
					t.Errorf("it is in %s (gone: %v), want it gone from where it was", e.Tree, e.Gone)
				}
				_, _, err = s.Resume("build-1")
				var gone *GoneError
				if !errors.As(err, &gone) || !strings.Contains(gone.Hint(), linked+" loop/x") {
					t.Errorf("Resume = %v, want that the work tree is gone and how to get it back", err)
				}
			})
		}
	}
}

func TestALinkedWorkTreeThatWasMovedKnowsItself(t *testing.T) {
	s, linked := twoTrees(t)
	started(t, s, [2]string{"build", linked})
	moved := linked + "-moved"
	rename(t, linked, moved)
	here, err := OpenIn(s.project.State(), moved)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := here.Load("build-1"); err != nil || e.Tree != moved || e.Gone {
		t.Errorf("the run is in %s (gone: %v), %v; want %s", e.Tree, e.Gone, err, moved)
	}
}

func TestAFolderOfTheMainWorkTreeIsNoLinkedOne(t *testing.T) {
	top := realDir(t)
	git(t, top, "init", "-q")
	git(t, top, "commit", "-q", "--allow-empty", "-m", "x")
	inside := filepath.Join(top, "trees", "x")
	git(t, top, "worktree", "add", "-q", "-b", "loop/x", inside)
	s, err := OpenIn(filepath.Join(realDir(t), "state"), top)
	if err == nil {
		s, err = s.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	started(t, s, [2]string{"build", inside})
	git(t, top, "worktree", "remove", inside)
	mkdir(t, inside, "") // a build tool, perhaps
	if e, err := s.Load("build-1"); err != nil || !e.Gone {
		t.Errorf("the run is in %s, %v; want it gone: the folder is one of the main work tree now", e.Tree, err)
	}
}

func removeTree(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
