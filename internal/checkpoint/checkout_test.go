package checkpoint

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// checkout makes a clean checkout.
func (f folder) checkout(s *Store, tree string) *Checkout {
	f.T.Helper()
	c, err := s.Checkout(f.T.Context(), filepath.Join(f.T.TempDir(), "clean"), tree)
	f.Must(err)
	f.T.Cleanup(func() { f.Must(c.Remove()) })
	return c
}

// cleanHolds checks that the checkout has these files and no others.
func (f folder) cleanHolds(p *Checkout, want map[string]string) {
	f.T.Helper()
	got := map[string]string{}
	f.Must(filepath.WalkDir(p.Dir(), func(at string, d fs.DirEntry, err error) error {
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
			f.T.Errorf("%s in the clean checkout holds %q (there: %v), want %q", name, has, ok, text)
		}
		delete(got, name)
	}
	for name := range got {
		f.T.Errorf("%s is left in the clean checkout", name)
	}
}

func TestACleanCheckoutHoldsOneTree(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("untracked", "u")
	f.Write("run.sh", "echo")
	f.Must(os.Chmod(f.Path("run.sh"), 0o755))
	f.Write("a.txt", "edited")
	f.Write("x.log", "ignored")
	f.Must(os.Remove(f.Path("b.txt")))
	f.Must(os.Symlink("a.txt", f.Path("link")))
	s := f.keep(f.open())
	now := f.checkpoint(s)
	c := f.checkout(s, now.Tree)
	inside := folderAt(t, c.Dir())
	ignore := f.Read(".gitignore")
	holds := map[string]string{".gitignore": ignore, "a.txt": "edited", "untracked": "u", "run.sh": "echo", "link": "edited"}
	f.cleanHolds(c, holds)
	if got := inside.Output("status", "--porcelain"); got != "" {
		t.Errorf("git status in the clean checkout: %q", got)
	}
	if got := inside.Output("log", "--format=%an", "--all"); got != "refrain" {
		t.Errorf("git log in the clean checkout: %q", got)
	}
	if info, err := os.Stat(inside.Path("run.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("run.sh is %v, %v: want it executable", info, err)
	}
	if changed, err := c.Restore(t.Context()); err != nil || len(changed) > 0 {
		t.Errorf("Restore of what nobody touched = %q, %v", changed, err)
	}

	// What gates do.
	inside.Write("a.txt", "formatted")
	inside.Write("coverage.out", "")
	inside.Write("build/cache", "warm")
	inside.Write("deep/x.log", "warm")
	f.Must(os.Remove(inside.Path("untracked")))
	f.Must(os.Remove(inside.Path("link")))
	inside.Write("link/now/a/folder", "")
	f.Must(os.Chmod(inside.Path("run.sh"), 0o644))
	inside.Commit("by a gate")
	inside.Git("update-index", "--assume-unchanged", "a.txt")
	f.Must(os.MkdirAll(inside.Path("nested"), 0o700))
	folderAt(t, inside.Path("nested")).Git("init", "-q")
	inside.Write("readonly/x", "")
	f.Must(os.Chmod(inside.Path("readonly"), 0o500))

	changed, err := c.Restore(t.Context())
	f.Must(err)
	slices.Sort(changed)
	if want := []string{"a.txt", "link", "run.sh", "untracked"}; !slices.Equal(changed, want) {
		t.Errorf("Restore put back %q, want %q", changed, want)
	}
	holds["build/cache"], holds["deep/x.log"] = "warm", "warm" // git ignores them
	f.cleanHolds(c, holds)
	if changed, err := c.Restore(t.Context()); err != nil || len(changed) > 0 {
		t.Errorf("a second Restore = %q, %v", changed, err)
	}
}

func TestACleanCheckoutIsMadeAnew(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	now := f.checkpoint(s)
	there := filepath.Join(t.TempDir(), "there")
	f.Must(os.Mkdir(there, 0o700))
	if _, err := s.Checkout(t.Context(), there, now.Tree); err == nil {
		t.Error("a folder that somebody else has made is taken")
	}
	link := filepath.Join(t.TempDir(), "link")
	f.Must(os.Symlink(there, link))
	if _, err := s.Checkout(t.Context(), link, now.Tree); err == nil {
		t.Error("a link is followed")
	}
	if _, err := s.Checkout(t.Context(), f.Path("inside"), now.Tree); err == nil {
		t.Error("a clean checkout inside of the work tree is made")
	}
	c := f.checkout(s, now.Tree)
	cmd := exec.Command("git", "rev-parse", "--show-toplevel")
	cmd.Dir = c.Dir()
	out, err := cmd.Output()
	f.Must(err)
	if got := strings.TrimSpace(string(out)); got != c.Top() {
		t.Errorf("the top is %q, want %q: a program finds another repository", got, c.Top())
	}
}

// What an agent does to the store has no say in what is judged.
func TestACleanCheckoutBelievesNobody(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]func(f folder, s *Store, now Checkpoint){
		"a filter": func(f folder, s *Store, _ Checkpoint) {
			f.Must(os.WriteFile(filepath.Join(s.dir, "info", "attributes"), []byte("* filter=evil\n"), 0o600))
			f.Git("config", "--file", filepath.Join(s.dir, "config"), "filter.evil.smudge", "echo evil")
		},
		"a replaced object": func(f folder, s *Store, _ Checkpoint) {
			env := git.Command{Env: []string{"GIT_DIR=" + s.dir}}
			evil, err := s.tree.Program().In(f.Dir).RunWith(f.T.Context(), git.Command{Env: env.Env, Stdin: []byte("evil")}, "hash-object", "-w", "--stdin")
			f.Must(err)
			was, err := s.tree.Program().In(f.Dir).RunWith(f.T.Context(), git.Command{Stdin: []byte("one")}, "hash-object", "--stdin")
			f.Must(err)
			_, err = s.tree.Program().In(f.Dir).RunWith(f.T.Context(), env, "replace", strings.TrimSpace(string(was)), strings.TrimSpace(string(evil)))
			f.Must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			s := f.keep(f.open())
			now := f.checkpoint(s)
			poison(f, s, now)
			c := f.checkout(s, now.Tree)
			if got := folderAt(t, c.Dir()).Read("a.txt"); got != "one" {
				t.Errorf("a.txt holds %q", got)
			}
		})
	}
}

func TestLinksThatLeadOut(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	outside := t.TempDir()
	f.Write("dir/x", "x")
	for name, target := range map[string]string{
		"near": "a.txt", "up": "dir/../a.txt", "dangling": "node_modules/.bin/x", "dir/back": "../a.txt",
		"absolute": f.Path("a.txt"), "above": "../elsewhere", "away": outside, "dir/above": "../../b",
	} {
		f.Must(os.Symlink(target, f.Path(name)))
	}
	s := f.keep(f.open())
	c := f.checkout(s, f.checkpoint(s).Tree)
	got := slices.Sorted(slices.Values(c.Links()))
	if want := []string{"above", "absolute", "away", "dir/above"}; !slices.Equal(got, want) {
		t.Errorf("links out of the checkout = %q, want %q", got, want)
	}
}

func TestTreesAreComparedAndPatched(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("moved.txt", "the same before and after, and long enough to be told from others")
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.Write("a.txt", "edited")
	f.Must(os.Remove(f.Path("b.txt")))
	f.Must(os.Rename(f.Path("moved.txt"), f.Path("there.txt")))
	f.Write("new/file", "new")
	now := f.checkpoint(s)
	trees := s.Trees()
	edits, err := trees.Edits(t.Context(), first.Tree, now.Tree)
	f.Must(err)
	var said []string
	var patches []Patch
	for _, e := range edits {
		said = append(said, strings.TrimSpace(strings.Join([]string{e.From, e.Path}, " ")))
		if e.From != "" {
			patches = append(patches, Patch{Path: e.From, File: e.Was})
		}
		patches = append(patches, Patch{Path: e.Path, File: map[bool]File{true: {}, false: e.Was}[e.From != ""]})
	}
	slices.Sort(said)
	if want := []string{"a.txt", "b.txt", "moved.txt there.txt", "new/file"}; !slices.Equal(said, want) {
		t.Errorf("edits = %q, want %q", said, want)
	}
	back, err := trees.With(t.Context(), now.Tree, patches)
	f.Must(err)
	if back != first.Tree {
		t.Errorf("the tree with every edit taken back is %s, want the first, %s", back, first.Tree)
	}
	made, err := trees.With(t.Context(), first.Tree, []Patch{{Path: "a.txt"}, {Path: "a.txt/below", Content: []byte("made")}})
	f.Must(err)
	files, err := trees.Paths(t.Context(), made)
	f.Must(err)
	text, err := trees.Read(t.Context(), files["a.txt/below"])
	f.Must(err)
	if _, still := files["a.txt"]; still || string(text) != "made" {
		t.Errorf("files = %v, a.txt/below holds %q", files, text)
	}
}

func TestPinnedFilesAreAsAtFirst(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	for _, name := range []string{"main.go", "main_test.go", "tests/a", "tests/deep/b", "docs/tests/c", "gone_test.go"} {
		f.Write(name, "first")
	}
	s := f.keep(f.open())
	first := f.checkpoint(s)
	for _, name := range []string{"main.go", "main_test.go", "tests/a", "tests/deep/b", "docs/tests/c", "new_test.go", "tests/new"} {
		f.Write(name, "bent")
	}
	f.Must(os.Remove(f.Path("gone_test.go")))
	now := f.checkpoint(s)
	plain := map[string]string{".gitignore": f.Read(".gitignore"), "a.txt": "one", "b.txt": "two", "main.go": "bent"}

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
			f := folderAt(t, f.Dir)
			pin := Pin{Patterns: tt.patterns, First: first}
			got, err := s.Trees().Pinned(t.Context(), now, pin)
			f.Must(err)
			if !slices.Equal(got, tt.want) {
				t.Errorf("pinned files that differ = %q, want %q", got, tt.want)
			}
			tree, err := s.Trees().PinnedTree(t.Context(), now, pin)
			f.Must(err)
			p := f.checkout(s, tree)
			for name, text := range plain {
				tt.holds[name] = text
			}
			f.cleanHolds(p, tt.holds)
		})
	}
}

func TestAPinnedFileThatBecameAFolder(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	first := f.checkpoint(s)
	f.Must(os.Remove(f.Path("a.txt")))
	f.Write("a.txt/x", "")
	tree, err := s.Trees().PinnedTree(t.Context(), f.checkpoint(s), Pin{Patterns: []string{"a.txt"}, First: first})
	f.Must(err)
	f.cleanHolds(f.checkout(s, tree), map[string]string{".gitignore": f.Read(".gitignore"), "a.txt": "one", "b.txt": "two"})
}

func TestWhatIsCarriedDoesNotLeadBack(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write(".gitignore", "node_modules\n.env\n")
	f.Write("packages/p/index.js", "p")
	f.Write("node_modules/m/index.js", "m")
	f.Write("node_modules/m/bin", "run")
	f.Write(".env", "SECRET=1")
	f.Must(os.Chmod(f.Path("node_modules/m/bin"), 0o755))
	outside := t.TempDir()
	for name, target := range map[string]string{
		"near": "m/index.js", "workspace": "../packages/p", "absolute": f.Path("packages/p"),
		"away": outside, "dangling": "nowhere",
	} {
		f.Must(os.Symlink(target, f.Path("node_modules/"+name)))
	}
	above, err := filepath.Rel(f.Path("node_modules"), outside)
	f.Must(err)
	f.Must(os.Symlink(above, f.Path("node_modules/above")))
	f.Must(os.Chmod(f.Path("node_modules/m"), 0o500))
	t.Cleanup(func() { f.Must(os.Chmod(f.Path("node_modules/m"), 0o700)) })

	s := f.keep(f.open())
	c := f.checkpoint(s)
	p := f.checkout(s, c.Tree)
	paths := []string{"node_modules", ".env"}
	f.Must(p.Carry(t.Context(), paths))
	f.Must(p.Carry(t.Context(), paths)) // in the place of the first
	if changed, err := p.Restore(t.Context()); err != nil || len(changed) > 0 {
		t.Errorf("Restore = %q, %v", changed, err)
	}
	// Set aside, and planted in another.
	aside := filepath.Join(t.TempDir(), "aside")
	f.Must(p.SetAside(t.Context(), aside, paths))
	planted := f.checkout(s, c.Tree)
	f.Must(planted.Plant(t.Context(), aside, paths))
	if got := folderAt(t, planted.Dir()).Read("node_modules/near"); got != "m" {
		t.Errorf("planted %q", got)
	}
	if got, err := os.Readlink(filepath.Join(planted.Dir(), "node_modules/workspace")); err != nil || got != "../packages/p" {
		t.Errorf("a planted link leads to %q, %v", got, err)
	}

	inside := folderAt(t, p.Dir())
	if got := inside.Read("node_modules/m/index.js") + inside.Read(".env"); got != "mSECRET=1" {
		t.Errorf("carried %q", got)
	}
	top := s.user.top
	for name, want := range map[string]string{
		"near": "m/index.js", "workspace": "../packages/p", "absolute": filepath.Join(p.top, "packages/p"),
		"away": outside, "above": filepath.Join(top, "node_modules", above), "dangling": "nowhere",
	} {
		got, err := os.Readlink(inside.Path("node_modules/" + name))
		f.Must(err)
		if got != want {
			t.Errorf("the link %s leads to %s, want %s", name, got, want)
		}
		if real, err := filepath.EvalSymlinks(inside.Path("node_modules/" + name)); err == nil {
			if _, back := files.Under(top, real); back {
				t.Errorf("the link %s leads back to the work tree", name)
			}
		}
	}
	info, err := os.Lstat(inside.Path("node_modules/m/bin"))
	f.Must(err)
	was, err := os.Lstat(f.Path("node_modules/m/bin"))
	f.Must(err)
	if info.Mode() != was.Mode() || !info.ModTime().Equal(was.ModTime()) || os.SameFile(info, was) {
		t.Errorf("carried %v of %v, want a copy of %v of %v", info.Mode(), info.ModTime(), was.Mode(), was.ModTime())
	}
	if got := inside.Output("status", "--porcelain"); got != "" {
		t.Errorf("git status in the clean checkout: %q", got)
	}
	for _, bad := range []string{"missing", "../x", "/etc", "."} {
		if err := p.Carry(t.Context(), []string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("Carry(%q) = %v, want an error that names it", bad, err)
		}
	}
}
