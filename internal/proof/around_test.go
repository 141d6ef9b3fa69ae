package proof

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/checkpoint"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// What gates run with is as it was, until somebody touches what decides how they
// run.
func TestAround(t *testing.T) {
	home, bin, early, tree := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	checkouts := filepath.Join(home, ".cache", "refrain", "proof", "run")
	write(t, filepath.Join(bin, "node"), "#!/bin/sh\n")
	write(t, filepath.Join(bin, "mycheck"), "#!/bin/sh\n")
	write(t, filepath.Join(home, ".npmrc"), "a=b\n")
	site := filepath.Join(home, ".local", "lib", "python3.11", "site-packages")
	write(t, filepath.Join(site, "pkg", "x.py"), "")
	write(t, filepath.Join(site, "a.pth"), "")
	env := []string{"PATH=" + filepath.Join(tree, "node_modules", ".bin") + string(os.PathListSeparator) + early + string(os.PathListSeparator) + bin, "HOME=" + home}
	look := func() Around { return lookAround(env, []string{"mycheck --all"}, Settings{Dir: checkouts, Tree: tree}) }
	first := look()
	if other := look().against(first); len(other) > 0 {
		t.Fatalf("nothing was touched: %q", other)
	}
	for _, tt := range []struct{ name, path, says string }{
		{"a setting of the user's", filepath.Join(home, ".npmrc"), filepath.Join(home, ".npmrc")},
		{"a new setting", filepath.Join(home, ".config", "go", "env"), filepath.Join(home, ".config", "go", "env")},
		{"a program earlier on the PATH", filepath.Join(early, "node"), "program node"},
		{"a program that a gate names", filepath.Join(bin, "mycheck"), "program mycheck"},
		{"a package for the user", filepath.Join(site, "usercustomize.py"), site},
		{"a file above the checkouts", filepath.Join(home, ".cache", "refrain", "go.work"), filepath.Join(home, ".cache", "refrain", "go.work")},
		{"one right above them", filepath.Join(home, ".cache", "refrain", "proof", "package.json"), filepath.Join(home, ".cache", "refrain", "proof", "package.json")},
	} {
		before := look()
		write(t, tt.path, "changed by "+tt.name)
		if other := look().against(before); !slices.Contains(other, tt.says) {
			t.Errorf("%s: %q, want %q among them", tt.name, other, tt.says)
		}
	}
	before := look()
	for _, path := range []string{
		filepath.Join(site, "pkg", "__pycache__", "x.pyc"), filepath.Join(site, "__pycache__", "y.pyc"),
		filepath.Join(home, ".gitconfig"), filepath.Join(home, ".cargo", ".global-cache"), filepath.Join(tree, "node_modules", ".bin", "node"), filepath.Join(home, ".npm", "_logs", "1.log"), filepath.Join(bin, "another"),
	} {
		write(t, path, "x")
	}
	if other := look().against(before); len(other) > 0 {
		t.Errorf("what honest tools leave is taken for a change: %q", other)
	}
}

func TestGoFlagsOfTheUser(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home}
	if got := goFlags(env); got != "" {
		t.Errorf("without a file: %q", got)
	}
	write(t, filepath.Join(home, ".config", "go", "env"), "GOPROXY=off\nGOFLAGS=-mod=mod -tags=x\n")
	if got := goFlags(env); got != "-mod=mod -tags=x" {
		t.Errorf("flags = %q", got)
	}
}

func TestFoldersForTemporaryFilesAreFoundAgain(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := Settings{Dir: t.TempDir()}
	first, err := s.temp()
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.temp()
	if err != nil {
		t.Fatal(err)
	}
	bystander := filepath.Join(t.TempDir(), "mine")
	write(t, bystander, "x")
	notes := filepath.Join(s.Dir, checkpoint.TempFile)
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	write(t, notes, string(text)+filepath.Dir(bystander)+"\n../../etc\n")
	if err := checkpoint.RemoveTemporary(s.Dir); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{first, second} {
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
	if _, err := os.Lstat(bystander); err != nil {
		t.Errorf("what the notes only claim to be ours is gone: %v", err)
	}
}
