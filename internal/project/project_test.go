package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// scene is a state folder, and projects beside it.
type scene struct {
	*testing.T
	dir string
}

func newScene(t *testing.T) *scene { return &scene{t, realDir(t)} }

func (s *scene) path(rel string) string { return filepath.Join(s.dir, rel) }

// git makes a project in git.
func (s *scene) git(rel string) { git(s.T, s.dir, "init", "-q", rel) }

func (s *scene) find(tree string) Project {
	s.Helper()
	p, err := FindIn(s.path("state"), s.path(tree))
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// claim claims a project, and has a run in it.
func (s *scene) claim(tree, run string) Project {
	s.Helper()
	p, err := s.find(tree).Claim()
	if err != nil {
		s.Fatal(err)
	}
	if run != "" {
		writeFile(s.T, filepath.Join(p.Dir, "runs", run, "run.json"), run)
	}
	return p
}

// holds checks which runs are found from a tree.
func (s *scene) holds(tree string, runs ...string) {
	s.Helper()
	p := s.find(tree)
	got := names(p.Dir)
	if len(got) != len(runs) {
		s.Errorf("in %s the runs are %v (%+v), want %v", tree, got, p, runs)
		return
	}
	for i, run := range runs {
		if got[i] != run {
			s.Errorf("in %s the runs are %v, want %v", tree, got, runs)
		}
	}
}

func (s *scene) do(name string, args ...string) {
	s.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

func needsUnix(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs cp, mv and rm")
	}
}

func TestRecordsOutliveWhatAnAgentDoes(t *testing.T) {
	needsUnix(t)
	for _, tt := range []struct{ name, tree, do string }{
		{"the git folder is deleted", "a", "rm -rf a/.git"},
		{"and made anew", "a", "rm -rf a/.git; git init -q a"},
		{"everything is deleted", "a", "cd a && rm -rf * .[!.]*"},
		{"a git folder is made above", "a/sub", "rm -rf a/.git; git init -q ."},
		{"the git folder is broken", "a", "rm -rf a/.git; echo nonsense > a/.git"},
		{"in a folder of a work tree", "a/sub", "rm -rf a/.git"},
		{"the sign is forged", "a", `echo '{"project":"b"}' > a/.git/refrain/project.json`},
		{"the sign is a way out", "a", `echo '{"project":"../../x"}' > a/.git/refrain/project.json`},
		{"the project is made anew", "a", "rm -rf a; mkdir a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.git("a")
			mkdir(t, s.dir, "a/sub")
			before := s.claim(tt.tree, "run-1")
			s.do("sh", "-c", tt.do)
			s.holds(tt.tree, "run-1")
			after := s.claim(tt.tree, "")
			if after.Dir != before.Dir {
				t.Errorf("the records were in %s and are in %s", before.Dir, after.Dir)
			}
			s.holds(tt.tree, "run-1")
		})
	}
}

func TestAFolderThatBecomesARepositoryKeepsItsRecords(t *testing.T) {
	s := newScene(t)
	mkdir(t, s.dir, "a")
	s.claim("a", "run-1")
	s.git("a")
	s.holds("a", "run-1")
}

func TestAMovedProjectIsFound(t *testing.T) {
	needsUnix(t)
	for _, in := range []string{"git", "no git"} {
		t.Run(in, func(t *testing.T) {
			s := newScene(t)
			mkdir(t, s.dir, "a")
			if in == "git" {
				s.git("a")
			}
			first := s.claim("a", "run-1")
			s.do("mv", "a", "b")
			if p := s.find("b"); p.Moved != s.path("a") || p.Dir != first.Dir {
				t.Errorf("after mv a b it is %+v, want it moved from a to %s", p, first.Dir)
			}
			s.holds("b", "run-1")
			s.claim("b", "")
			s.holds("b", "run-1")

			// Something else where it was has nothing to do with it.
			mkdir(t, s.dir, "a")
			s.holds("a")
			s.claim("a", "run-9")
			s.holds("a", "run-9")
			s.holds("b", "run-1")
		})
	}
}

func TestACopyHasRecordsOfItsOwn(t *testing.T) {
	needsUnix(t)
	for _, in := range []string{"git", "no git"} {
		t.Run(in, func(t *testing.T) {
			s := newScene(t)
			mkdir(t, s.dir, "a")
			if in == "git" {
				s.git("a")
			}
			first := s.claim("a", "run-1")
			s.do("cp", "-r", "a", "b")
			if p := s.find("b"); p.CopyOf != s.path("a") || p.Dir == first.Dir {
				t.Errorf("after cp -r a b it is %+v, want a copy of a", p)
			}
			s.holds("b")
			s.claim("b", "run-2")
			s.holds("a", "run-1")
			s.holds("b", "run-2")

			// When the original is gone, the copy is still another.
			s.do("rm", "-rf", "a")
			s.holds("b", "run-2")
			// And a second one that nobody has used is taken for it.
			s.do("cp", "-r", "b", "c")
			s.do("rm", "-rf", "b")
			s.holds("c", "run-2")
		})
	}
}

// The original has lost its sign, and is still known for what it is.
func TestACopyIsNoMovedProjectWhenTheOriginalHasLostItsSign(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	s.git("a")
	s.claim("a", "run-1")
	s.do("cp", "-r", "a", "b")
	s.do("rm", "-rf", "a/.git")
	if Identity(s.path("a")) == "" {
		t.Skip("folders have no identity here")
	}
	s.holds("b")
	s.holds("a", "run-1")
}

// An agent moves the project aside and works on in a copy of it: the records are
// where the run works.
func TestWhoIsAtWorkStaysTheProject(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	s.git("a")
	p := s.claim("a", "run-1")
	s.do("mv", "a", "b")
	s.do("cp", "-a", "b", "a")
	p.Show()
	s.holds("a", "run-1")
	s.holds("b")
	s.claim("b", "run-2")
	s.claim("a", "")
	s.holds("a", "run-1")
	s.holds("b", "run-2")
}

func TestABackupInItsPlaceIsTheProject(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	s.git("a")
	s.claim("a", "run-1")
	s.do("cp", "-r", "a", "backup")
	s.do("rm", "-rf", "a")
	s.do("mv", "backup", "a")
	s.holds("a", "run-1")
}

func TestWorkTreesShareTheirRecords(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	s.git("a")
	git(t, s.path("a"), "commit", "-q", "--allow-empty", "-m", "x")
	git(t, s.path("a"), "worktree", "add", "-q", "../b")
	s.claim("b", "run-1")
	s.holds("a", "run-1")
	git(t, s.path("a"), "worktree", "remove", "--force", "../b")
	s.holds("a", "run-1")
}

// A linked work tree that has lost its .git is known by its path, and does not
// take the records of the others along.
func TestAWorkTreeWithoutItsGitTakesNothingOver(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	s.git("a")
	git(t, s.path("a"), "commit", "-q", "--allow-empty", "-m", "x")
	git(t, s.path("a"), "worktree", "add", "-q", "../b")
	s.claim("a", "run-1")
	s.claim("b", "run-2")
	s.do("rm", "b/.git")
	s.claim("b", "run-3")
	s.holds("a", "run-1", "run-2", "run-3")
	s.holds("b", "run-1", "run-2", "run-3")
}

// Nobody makes a run an early one by adding it to the list.
func TestTheListOfEarlyRunsIsSealed(t *testing.T) {
	s := newScene(t)
	mkdir(t, s.dir, "a")
	writeFile(t, s.path("a/.refrain/runs/run-1/run.json"), "{}")
	p := s.claim("a", "run-2")
	path := filepath.Join(p.Dir, noteName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, strings.Replace(string(b), `"run-1"`, `"run-1", "run-2"`, 1))
	if p = s.find("a"); p.MadeEarlier("run-2") {
		t.Error("a run that was added to the list is taken for an early one")
	}
	writeFile(t, path, string(b))
	if err := p.AdmitEarlier("run-9"); err != nil || !p.MadeEarlier("run-9") || !p.MadeEarlier("run-1") || p.MadeEarlier("run-2") {
		t.Errorf("AdmitEarlier = %v, and it knows %v, %v, %v", err, p.MadeEarlier("run-9"), p.MadeEarlier("run-1"), p.MadeEarlier("run-2"))
	}
}

func TestRunsOfAnEarlierVersionAreTakenIn(t *testing.T) {
	needsUnix(t)
	for _, tt := range []struct{ in, old string }{{"git", "a/.git/refrain"}, {"no git", "a/.refrain"}} {
		t.Run(tt.in, func(t *testing.T) {
			s := newScene(t)
			mkdir(t, s.dir, "a")
			if tt.in == "git" {
				s.git("a")
			}
			writeFile(t, s.path(tt.old+"/runs/run-1/run.json"), "{}")
			writeFile(t, s.path(tt.old+"/lock-a"), "\n")
			s.holds("a", "run-1")
			if p := s.find("a"); !p.Early || p.Dir != s.path(tt.old) {
				t.Errorf("before it is claimed it is %+v, want it in %s", p, tt.old)
			}

			// As long as one is live, they stay.
			lock := flock.New(s.path(tt.old + "/lock-a"))
			if ok, err := lock.TryLock(); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if p := s.claim("a", ""); !p.Early || p.Dir != s.path(tt.old) {
				t.Errorf("while one is live it is %+v, want it in %s", p, tt.old)
			}
			s.holds("a", "run-1")
			lock.Close()

			p := s.claim("a", "run-2")
			if p.Early || !p.MadeEarlier("run-1") || p.MadeEarlier("run-2") {
				t.Errorf("afterwards it is %+v, want run-1 alone to be an early one", p)
			}
			s.holds("a", "run-1", "run-2")
			// Whoever looks where they were still finds them.
			if _, err := os.Stat(s.path(tt.old + "/runs/run-1/run.json")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAMovedProjectWithALiveRunIsNotTaken(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	s.git("a")
	p := s.claim("a", "run-1")
	lock := flock.New(filepath.Join(p.Dir, "lock-a"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer lock.Close()
	s.do("mv", "a", "b")
	var busy *BusyError
	if _, err := s.find("b").Claim(); !errors.As(err, &busy) {
		t.Errorf("Claim = %v, want a *BusyError", err)
	}
	s.holds("b", "run-1")
}

// An agent may have made anything of the folder in which we leave our sign.
func TestShowGoesNowhereElse(t *testing.T) {
	needsUnix(t)
	for _, do := range []string{"ln -s ../../victim a/.git/refrain", "touch a/.git/refrain", "mkfifo a/.git/refrain", "mkdir -p a/.git/refrain/runs/mine a/.git/refrain/project.json"} {
		t.Run(do, func(t *testing.T) {
			s := newScene(t)
			s.git("a")
			mkdir(t, s.dir, "victim")
			s.do("sh", "-c", do)
			s.claim("a", "")
			entries, err := os.ReadDir(s.path("victim"))
			if err != nil || len(entries) > 0 {
				t.Errorf("somebody's folder has %v (%v), want nothing", entries, err)
			}
		})
	}
}

func TestAllKnowsWhatIsGone(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	t.Setenv("XDG_STATE_HOME", s.dir)
	state := filepath.Join(s.dir, "refrain")
	for _, name := range []string{"a", "b"} {
		mkdir(t, s.dir, name)
		p, err := FindIn(state, s.path(name))
		if err == nil {
			p, err = p.Claim()
		}
		if err != nil {
			t.Fatal(err)
		}
		mkdir(t, p.Dir, "runs/run-1")
	}
	s.do("rm", "-rf", "b")
	all, err := All()
	if err != nil || len(all) != 2 || all[0].Gone || !all[1].Gone || all[1].Root != s.path("b") {
		t.Fatalf("All = %+v, %v, want a, and b gone", all, err)
	}
	if done, err := all[0].Forget(os.RemoveAll); done || err != nil {
		t.Fatalf("Forget of a project that is there = %v, %v", done, err)
	}
	if done, err := all[1].Forget(os.RemoveAll); !done || err != nil {
		t.Fatal(done, err)
	}
	if all, err = All(); err != nil || len(all) != 1 {
		t.Errorf("after Forget All = %+v, %v, want a", all, err)
	}
	if entries, err := os.ReadDir(places(state)); err != nil || len(entries) > 2 {
		t.Errorf("after Forget the places are %v (%v), want those of a", entries, err)
	}
}

// An earlier version, about to start where its runs are being moved from, must
// find the lock of its work tree taken.
func TestTakingInHoldsTheLockOfTheTree(t *testing.T) {
	needsUnix(t)
	s := newScene(t)
	mkdir(t, s.dir, "a")
	p := s.claim("a", "")
	from := s.path("old")
	writeFile(t, filepath.Join(from, "runs/run-1/run.json"), "{}")
	if taken, err := p.takeIn(from); !taken || err != nil {
		t.Fatal(taken, err)
	}
	if _, err := os.Stat(filepath.Join(from, LockName(p.Tree))); err != nil {
		t.Errorf("the lock of the tree was not taken: %v", err)
	}
	s.holds("a", "run-1")
}

func TestRunsOfAnEarlierVersionAreTakenInFromAnotherDisk(t *testing.T) {
	disk, err := os.MkdirTemp("/dev/shm", "refrain-test-")
	if err != nil {
		t.Skip("there is no second disk")
	}
	t.Cleanup(func() { os.RemoveAll(disk) })
	s := newScene(t)
	if os.Rename(filepath.Join(disk), s.path("probe")) == nil {
		t.Skip("there is no second disk")
	}
	mkdir(t, s.dir, "a")
	p := s.claim("a", "")
	writeFile(t, filepath.Join(disk, "runs/run-1/run.json"), "{}")
	if taken, err := p.takeIn(disk); !taken || err != nil {
		t.Fatal(taken, err)
	}
	s.holds("a", "run-1")
	if _, err := os.Lstat(filepath.Join(disk, "runs")); err == nil {
		t.Error("the runs are where they were, too")
	}
	if left, err := Leftovers(p.Dir); len(left) > 0 || err != nil {
		t.Errorf("Leftovers = %v, %v", left, err)
	}
}

// A snapshot has the same number and the same time, and is another folder.
func TestASnapshotIsNotTheProject(t *testing.T) {
	s := newScene(t)
	mkdir(t, s.dir, "a")
	mkdir(t, s.dir, "snapshot")
	n := note{Root: s.path("a"), Identity: Identity(s.path("a"))}
	if n.Identity == "" {
		t.Skip("folders have no identity here")
	}
	if n.twice(s.path("a")) || !n.twice(s.path("snapshot")) {
		t.Errorf("the project is there twice: %v, and the snapshot: %v, want false and true", n.twice(s.path("a")), n.twice(s.path("snapshot")))
	}
	if err := os.Remove(s.path("a")); err != nil {
		t.Fatal(err)
	}
	if n.twice(s.path("snapshot")) {
		t.Error("what is left of a project that is gone is not the project")
	}
}

// A run in a work tree beside the repository belongs to the repository.
func TestALinkedWorkTreeHasTheNameOfItsRepository(t *testing.T) {
	root := t.TempDir()
	shop, beside := filepath.Join(root, "shop"), filepath.Join(root, "shop-20261116-x")
	if err := os.Mkdir(shop, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, shop, "init", "-q")
	git(t, shop, "commit", "-q", "--allow-empty", "-m", "start")
	git(t, shop, "worktree", "add", "-q", beside)
	l := LinkOf(beside)
	if l == nil {
		t.Fatal("it is not linked")
	}
	if got := l.Repository(beside); got != "shop" {
		t.Errorf("its repository is %q, want shop", got)
	}
	if got := l.Repository(filepath.Join(root, "gone")); got != "" {
		t.Errorf("of one that is gone it is %q", got)
	}
}
