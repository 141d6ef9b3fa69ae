package outside

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestNothingIsFoundWhereAgentsWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are named otherwise")
	}
	root := t.TempDir()
	tree, own, links := filepath.Join(root, "tree"), filepath.Join(root, "own"), filepath.Join(root, "links")
	for _, path := range []string{tree + "/bin/tool", tree + "/bin/only", own + "/tool"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(links, 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"/folder": tree + "/bin", "/linked": tree + "/bin/only"} {
		if err := os.Symlink(to, links+from); err != nil {
			t.Fatal(err)
		}
	}
	list := []string{tree + "/bin", "tree/bin", "", links + "/folder", links, own}
	path := ""
	for _, dir := range list {
		path += string(os.PathListSeparator) + dir
	}
	t.Setenv("PATH", path)
	t.Chdir(root)

	if got, err := Find("tool"); got != tree+"/bin/tool" || err != nil {
		t.Fatalf("before anything is shunned: Find = %q, %v", got, err)
	}
	Shun(tree)
	if got, err := Find("tool"); got != own+"/tool" || err != nil {
		t.Errorf("Find(tool) = %q, %v, want the one outside of the tree", got, err)
	}
	for _, name := range []string{"only", "linked"} {
		if got, err := Find(name); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("Find(%s) = %q, %v, want that there is none", name, got, err)
		}
	}
	if got, err := Find(tree + "/bin/only"); got != tree+"/bin/only" || err != nil {
		t.Errorf("what a person names by its path: %q, %v", got, err)
	}
	if want := (Skip{"tool", tree + "/bin"}); !slices.Contains(Untold(), want) {
		t.Errorf("it is not told that %v was left alone", want)
	}
	if again := Untold(); len(again) > 0 {
		t.Errorf("told twice: %v", again)
	}
	want := []string{"A=" + tree, "PATH=" + links + string(os.PathListSeparator) + own}
	if got := Environ([]string{"A=" + tree, "PATH=" + path}); !slices.Equal(got, want) {
		t.Errorf("Environ = %q, want %q", got, want)
	}
}

func TestAllThereIsIsNotShunned(t *testing.T) {
	Shun(string(filepath.Separator))
	if shunned(os.TempDir()) {
		t.Error("no program would be left")
	}
}
