package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, root string, list []File, force bool) []Result {
	t.Helper()
	results, err := Write(root, list, force)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTakeBackSaysWhatStays(t *testing.T) {
	root := t.TempDir()
	put(t, root, "old/a", "x")
	results := write(t, root, []File{{Path: "old/a", Text: "y", Mode: 0o644}, {Path: "old/b", Text: "x", Mode: 0o644}, {Path: "new/deep/c", Text: "x", Mode: 0o644}, {Path: "gone/d", Text: "x", Mode: 0o644}}, false)
	put(t, root, "new/own", "x")
	err := TakeBack(root, results)
	if err == nil || !strings.Contains(err.Error(), "new") || strings.Contains(err.Error(), "deep") {
		t.Errorf("TakeBack = %v, want that the folder with a file of somebody else stays", err)
	}
	if diff := cmp.Diff(map[string]string{"old/a": "x", "new/own": "x"}, inTree(t, root)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	for _, name := range []string{"gone", "new/deep"} {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// inTree is every file below a root with its text.
func inTree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		text, err := os.ReadFile(path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWriteTwiceChangesNothing(t *testing.T) {
	for kind, sample := range samples {
		root := t.TempDir()
		if err := os.CopyFS(root, sample); err != nil {
			t.Fatal(err)
		}
		for _, r := range write(t, root, Files(Detect(os.DirFS(root)), Options{Full: true, Schema: "{}"}), false) {
			if r.Action != Created {
				t.Errorf("%s: the first time, %s was %s", kind, r.Path, r.Action)
			}
		}
		before := inTree(t, root)
		for _, force := range []bool{false, true} {
			for _, r := range write(t, root, Files(Detect(os.DirFS(root)), Options{Full: true, Schema: "{}"}), force) {
				if r.Action != Same {
					t.Errorf("%s: with force %t, %s was %s", kind, force, r.Path, r.Action)
				}
			}
		}
		if diff := cmp.Diff(before, inTree(t, root)); diff != "" {
			t.Errorf("%s: the second time changed (-before +after):\n%s", kind, diff)
		}
	}
}

func TestWriteLeavesWhatIsThere(t *testing.T) {
	list := []File{
		{Path: "a.txt", Text: "new", Mode: plain},
		{Path: "mine.txt", Text: "new", Mode: plain, Keep: true},
		{Path: "x/y.txt", Text: "new", Mode: plain},
	}
	start := func(t *testing.T) string {
		root := t.TempDir()
		put(t, root, "a.txt", "old")
		put(t, root, "mine.txt", "old")
		return root
	}
	t.Run("without force nothing is replaced", func(t *testing.T) {
		root := start(t)
		got := write(t, root, list, false)
		want := []Result{{Path: "a.txt", Action: Kept}, {Path: "mine.txt", Action: Kept}, {Path: "x/y.txt", Action: Created, Made: []string{"x"}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{"a.txt": "old", "mine.txt": "old", "x/y.txt": "new"}, inTree(t, root)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
	t.Run("with force every old file is kept beside the new one", func(t *testing.T) {
		root := start(t)
		got := write(t, root, list, true)
		put(t, root, "a.txt", "edited")
		got = append(got, write(t, root, list[:1], true)...)
		want := []Result{
			{Path: "a.txt", Action: Overwritten, Saved: "a.txt.orig"},
			{Path: "mine.txt", Action: Kept},
			{Path: "x/y.txt", Action: Created, Made: []string{"x"}},
			{Path: "a.txt", Action: Overwritten, Saved: "a.txt.orig2"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		files := map[string]string{"a.txt": "new", "a.txt.orig": "old", "a.txt.orig2": "edited", "mine.txt": "old", "x/y.txt": "new"}
		if diff := cmp.Diff(files, inTree(t, root)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
}

func TestWriteDoesNotReadWithoutEnd(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, maxOld+1); err != nil {
		t.Fatal(err)
	}
	list := []File{{Path: "a.txt", Text: "text", Mode: 0o600}}
	if got, err := Write(root, list, false); err != nil || got[0].Action != Kept {
		t.Errorf("Write = %v, %v, want it kept", got, err)
	}
	var refused *RefusedError
	if _, err := Write(root, list, true); !errors.As(err, &refused) {
		t.Errorf("Write with force = %v, want it refused", err)
	}
}

func TestWritePermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	root := t.TempDir()
	put(t, root, "secret", "old") // readable by its owner alone
	write(t, root, []File{{Path: "hook", Mode: executable}, {Path: "text", Mode: plain}, {Path: "secret", Text: "new", Mode: plain}}, true)
	for _, tt := range []struct {
		name       string
		bits, want os.FileMode
	}{
		{"hook", 0o100, 0o100}, {"text", 0o111, 0}, {"secret", 0o077, 0}, {"secret.orig", 0o077, 0},
	} {
		info, err := os.Stat(filepath.Join(root, tt.name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & tt.bits; got != tt.want {
			t.Errorf("%s has %o of %o, want %o", tt.name, got, tt.bits, tt.want)
		}
	}
}

func TestWriteRefusesWithoutWritingAnything(t *testing.T) {
	for _, tt := range []struct {
		name  string
		stage func(t *testing.T, root, outside string)
		force bool
		why   string
	}{
		{"a folder that leads out of the tree", func(t *testing.T, root, outside string) { link(t, outside, root, "x") }, false, "escapes"},
		{"a folder that leads nowhere", func(t *testing.T, root, _ string) { link(t, "gone", root, "x") }, false, "leads nowhere"},
		{"a file where a folder should be", func(t *testing.T, root, _ string) { put(t, root, "x", "") }, false, "x is not a folder"},
		{"a folder where a file should be", func(t *testing.T, root, _ string) { put(t, root, "x/y.txt/z", "") }, false, "a folder has this name"},
		{"a link where a file should be replaced", func(t *testing.T, root, outside string) {
			put(t, root, "x/z.txt", "old")
			link(t, filepath.Join(outside, "theirs"), root, "x/y.txt")
		}, true, "it is a link"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, outside := t.TempDir(), t.TempDir()
			put(t, outside, "theirs", "old")
			tt.stage(t, root, outside)
			before := inTree(t, root)

			_, err := Write(root, []File{{Path: "first.txt", Text: "new", Mode: plain}, {Path: "x/y.txt", Text: "new", Mode: plain}}, tt.force)
			var refused *RefusedError
			if !errors.As(err, &refused) || !strings.Contains(refused.Why, tt.why) || refused.Hint == "" {
				t.Errorf("Write = %v, want a refusal with %q and a hint", err, tt.why)
			}
			if diff := cmp.Diff(before, inTree(t, root)); diff != "" {
				t.Errorf("something was written (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]string{"theirs": "old"}, inTree(t, outside)); diff != "" {
				t.Errorf("something was written outside (-before +after):\n%s", diff)
			}
		})
	}
}

func TestWriteKeepsLinks(t *testing.T) {
	root := t.TempDir()
	put(t, root, "CLAUDE.md", "mine")
	link(t, "CLAUDE.md", root, "AGENTS.md")
	if err := os.MkdirAll(filepath.Join(root, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "docs", root, "specs")
	list := []File{{Path: "AGENTS.md", Text: "new", Mode: plain, Keep: true}, {Path: "specs/README.md", Text: "new", Mode: plain}}
	got := write(t, root, list, true)
	want := []Result{{Path: "AGENTS.md", Action: Kept}, {Path: "specs/README.md", Action: Created}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"CLAUDE.md": "mine", "docs/README.md": "new"}, inTree(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func link(t *testing.T, to, root, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
		t.Skip("no links can be made here:", err)
	}
}
