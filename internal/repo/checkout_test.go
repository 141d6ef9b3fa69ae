package repo

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// proof opens a clean checkout.
func (f folder) proof(s *Store) *Proof {
	f.t.Helper()
	p, err := s.Proof(f.t.Context(), filepath.Join(f.t.TempDir(), "proof"))
	f.must(err)
	return p
}

// proofHolds checks that the checkout has these files and no others.
func (f folder) proofHolds(p *Proof, want map[string]string) {
	f.t.Helper()
	got := map[string]string{}
	f.must(filepath.WalkDir(p.Dir(), func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" && filepath.Dir(at) == p.top {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(p.Dir(), at)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(at)
		got[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	for name, text := range want {
		if has, ok := got[name]; !ok || has != text {
			f.t.Errorf("%s in the clean checkout holds %q (there: %v), want %q", name, has, ok, text)
		}
		delete(got, name)
	}
	for name := range got {
		f.t.Errorf("%s is left in the clean checkout", name)
	}
}

func TestACleanCheckoutIsBroughtToACheckpoint(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("untracked", "u")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.write("a.txt", "edited")
	f.write("x.log", "ignored")
	f.must(os.Remove(f.path("b.txt")))
	second := f.checkpoint(s)

	p := f.proof(s)
	inside := folder{t, p.Dir()}
	ignore := f.read(".gitignore")
	f.must(p.Bring(t.Context(), second, Pin{}))
	f.proofHolds(p, map[string]string{".gitignore": ignore, "a.txt": "edited", "untracked": "u"})
	if got := inside.output("status", "--porcelain"); got != "" {
		t.Errorf("git status in the clean checkout: %q", got)
	}
	if got := inside.output("log", "--format=%an", "--all"); got != "refrain" {
		t.Errorf("git log in the clean checkout: %q", got)
	}

	// What gates do.
	inside.write("a.txt", "formatted")
	inside.write("coverage.out", "")
	inside.write("build/cache", "warm")
	inside.write("deep/x.log", "warm")
	f.must(os.Remove(filepath.Join(p.Dir(), "untracked")))
	inside.commit("by a gate")
	inside.git("update-index", "--assume-unchanged", "a.txt")
	f.must(os.MkdirAll(filepath.Join(p.Dir(), "nested"), 0o700))
	folder{t, filepath.Join(p.Dir(), "nested")}.git("init", "-q")
	inside.write("nested/x", "")
	inside.write("readonly/x", "")
	f.must(os.Chmod(filepath.Join(p.Dir(), "readonly"), 0o500))
	f.must(os.WriteFile(filepath.Join(p.Dir(), ".git", "index.lock"), nil, 0o600))
	warm := map[string]string{"build/cache": "warm", "deep/x.log": "warm", ".gitignore": ignore, "a.txt": "edited", "untracked": "u"}

	f.must(p.Bring(t.Context(), second, Pin{}))
	f.proofHolds(p, warm)
	if got := inside.output("status", "--porcelain"); got != "" {
		t.Errorf("git status in the clean checkout: %q", got)
	}
	warm["a.txt"], warm["b.txt"] = "one", "two"
	f.must(p.Bring(t.Context(), first, Pin{}))
	f.proofHolds(p, warm)

	// Thrown away, and made again by another process.
	f.must(os.RemoveAll(p.top))
	again, err := s.Proof(t.Context(), p.top)
	f.must(err)
	f.must(again.Bring(t.Context(), second, Pin{}))
	f.proofHolds(again, map[string]string{".gitignore": ignore, "a.txt": "edited", "untracked": "u"})

	inside.write("mod/cache/x", "")
	f.must(os.Chmod(filepath.Join(p.Dir(), "mod/cache/x"), 0o400))
	f.must(os.Chmod(filepath.Join(p.Dir(), "mod/cache"), 0o500))
	f.must(RemoveTree(p.top))
	if _, err := os.Lstat(p.top); err == nil {
		t.Error("the clean checkout is still there")
	}
}

func TestAProgramInTheCleanCheckoutFindsNoOtherRepository(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	p := f.proof(s)
	f.must(p.Bring(t.Context(), f.checkpoint(s), Pin{}))
	cmd := exec.Command("git", "rev-parse", "--show-toplevel")
	cmd.Dir = p.Dir()
	out, err := cmd.Output()
	f.must(err)
	if got := strings.TrimSpace(string(out)); got != p.top {
		t.Errorf("the top is %q, want %q", got, p.top)
	}
	if _, err := s.Proof(t.Context(), f.path("inside")); err == nil {
		t.Error("a clean checkout inside of the work tree is made")
	}
}

func TestPinnedFilesAreAsAtFirst(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	for _, name := range []string{"main.go", "main_test.go", "tests/a", "tests/deep/b", "docs/tests/c", "gone_test.go"} {
		f.write(name, "first")
	}
	s := f.keep(f.open())
	first := f.checkpoint(s)
	for _, name := range []string{"main.go", "main_test.go", "tests/a", "tests/deep/b", "docs/tests/c", "new_test.go", "tests/new"} {
		f.write(name, "bent")
	}
	f.must(os.Remove(f.path("gone_test.go")))
	now := f.checkpoint(s)
	plain := map[string]string{".gitignore": f.read(".gitignore"), "a.txt": "one", "b.txt": "two", "main.go": "bent"}

	for _, tt := range []struct {
		name     string
		patterns []string
		want     []string // pinned paths that differ
		holds    map[string]string
	}{
		{"nothing", nil, nil, map[string]string{
			"main_test.go": "bent", "tests/a": "bent", "tests/deep/b": "bent", "docs/tests/c": "bent", "new_test.go": "bent", "tests/new": "bent",
		}},
		{"a name", []string{"*_test.go"}, []string{"gone_test.go", "main_test.go", "new_test.go"}, map[string]string{
			"main_test.go": "first", "gone_test.go": "first", "tests/a": "bent", "tests/deep/b": "bent", "docs/tests/c": "bent", "tests/new": "bent",
		}},
		{"a folder from the root", []string{"/tests/"}, []string{"tests/a", "tests/deep/b", "tests/new"}, map[string]string{
			"main_test.go": "bent", "tests/a": "first", "tests/deep/b": "first", "docs/tests/c": "bent", "new_test.go": "bent",
		}},
		{"a folder anywhere", []string{"tests/"}, []string{"docs/tests/c", "tests/a", "tests/deep/b", "tests/new"}, map[string]string{
			"main_test.go": "bent", "tests/a": "first", "tests/deep/b": "first", "docs/tests/c": "first", "new_test.go": "bent",
		}},
		{"all but one", []string{"**/*_test.go", "!/new_test.go"}, []string{"gone_test.go", "main_test.go"}, map[string]string{
			"main_test.go": "first", "gone_test.go": "first", "tests/a": "bent", "tests/deep/b": "bent", "docs/tests/c": "bent", "new_test.go": "bent", "tests/new": "bent",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := folder{t, f.dir}
			pin := Pin{Patterns: tt.patterns, First: first}
			got, err := s.Pinned(t.Context(), now, pin)
			f.must(err)
			if !slices.Equal(got, tt.want) {
				t.Errorf("pinned files that differ = %q, want %q", got, tt.want)
			}
			p := f.proof(s)
			f.must(p.Bring(t.Context(), now, pin))
			for name, text := range plain {
				tt.holds[name] = text
			}
			f.proofHolds(p, tt.holds)
		})
	}
}

func TestAPinnedFileThatBecameAFolder(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.must(os.Remove(f.path("a.txt")))
	f.write("a.txt/x", "")
	p := f.proof(s)
	f.must(p.Bring(t.Context(), f.checkpoint(s), Pin{Patterns: []string{"a.txt"}, First: first}))
	f.proofHolds(p, map[string]string{".gitignore": f.read(".gitignore"), "a.txt": "one", "b.txt": "two"})
}

func TestWhatIsCarriedDoesNotLeadBack(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write(".gitignore", "node_modules\n.env\n")
	f.write("packages/p/index.js", "p")
	f.write("node_modules/m/index.js", "m")
	f.write("node_modules/m/bin", "run")
	f.write(".env", "SECRET=1")
	f.must(os.Chmod(f.path("node_modules/m/bin"), 0o755))
	outside := t.TempDir()
	for name, target := range map[string]string{
		"near": "m/index.js", "workspace": "../packages/p", "absolute": f.path("packages/p"),
		"away": outside, "dangling": "nowhere",
	} {
		f.must(os.Symlink(target, f.path("node_modules/"+name)))
	}
	above, err := filepath.Rel(f.path("node_modules"), outside)
	f.must(err)
	f.must(os.Symlink(above, f.path("node_modules/above")))
	f.must(os.Chmod(f.path("node_modules/m"), 0o500))
	t.Cleanup(func() { f.must(os.Chmod(f.path("node_modules/m"), 0o700)) })

	s := f.keep(f.open())
	c := f.checkpoint(s)
	p := f.proof(s)
	f.must(p.Bring(t.Context(), c, Pin{}))
	paths := []string{"node_modules", ".env"}
	f.must(p.Carry(t.Context(), paths))
	f.must(p.Carry(t.Context(), paths)) // in the place of the first
	f.must(p.Bring(t.Context(), c, Pin{}))

	inside := folder{t, p.Dir()}
	if got := inside.read("node_modules/m/index.js") + inside.read(".env"); got != "mSECRET=1" {
		t.Errorf("carried %q", got)
	}
	top := s.origin.top
	for name, want := range map[string]string{
		"near": "m/index.js", "workspace": "../packages/p", "absolute": filepath.Join(p.top, "packages/p"),
		"away": outside, "above": filepath.Join(top, "node_modules", above), "dangling": "nowhere",
	} {
		got, err := os.Readlink(inside.path("node_modules/" + name))
		f.must(err)
		if got != want {
			t.Errorf("the link %s leads to %s, want %s", name, got, want)
		}
		if real, err := filepath.EvalSymlinks(inside.path("node_modules/" + name)); err == nil {
			if _, back := under(top, real); back {
				t.Errorf("the link %s leads back to the work tree", name)
			}
		}
	}
	info, err := os.Lstat(inside.path("node_modules/m/bin"))
	f.must(err)
	was, err := os.Lstat(f.path("node_modules/m/bin"))
	f.must(err)
	if info.Mode() != was.Mode() || !info.ModTime().Equal(was.ModTime()) || os.SameFile(info, was) {
		t.Errorf("carried %v of %v, want a copy of %v of %v", info.Mode(), info.ModTime(), was.Mode(), was.ModTime())
	}
	if got := inside.output("status", "--porcelain"); got != "" {
		t.Errorf("git status in the clean checkout: %q", got)
	}
	for _, bad := range []string{"missing", "../x", "/etc", "."} {
		if err := p.Carry(t.Context(), []string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("Carry(%q) = %v, want an error that names it", bad, err)
		}
	}
	f.must(RemoveTree(p.top))
}
