package rehearsal

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	got := s.steps(t, `
		{ write = "new/deep/a.txt", content = "one {iteration}\n" },
		{ write = "new/deep/a.txt", content = "two\n", append = true },
		{ write = "b-{iteration}.txt", content = "first, and long" },
		{ write = "b-{iteration}.txt", content = "second" },
		{ write = "tool.sh", content = "#!/bin/sh\n", mode = "0750" },
		{ write = "empty" },
	`)
	if !got.result(t).OK || got.code != 0 {
		t.Fatalf("exit %d, stdout:\n%s", got.code, got.stdout)
	}
	for name, want := range map[string]string{
		"new/deep/a.txt": "one 1\ntwo\n",
		"b-1.txt":        "second",
		"empty":          "",
	} {
		if b, err := os.ReadFile(filepath.Join(s.dir, name)); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v, want %q", name, b, err, want)
		}
	}
	info, err := os.Stat(filepath.Join(s.dir, "tool.sh"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("tool.sh: %v, %v, want mode 0750", info, err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"file", "folder/a", "folder/b", "stays"} {
		path := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := s.steps(t, `{ delete = "file" }, { delete = "folder" }, { delete = "never-there" }`)
	if !got.result(t).OK {
		t.Fatalf("stdout:\n%s", got.stdout)
	}
	left, err := fs.Glob(os.DirFS(s.dir), "*")
	if err != nil || len(left) != 1 || left[0] != "stays" {
		t.Errorf("left %q, %v, want only the file that stays", left, err)
	}
}

func TestALinkDoesNotLeadOut(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{
		"writing":  `{ write = "out/file", content = "x" }`,
		"deleting": `{ delete = "out/kept" }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, outside := newStage(t), t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(s.dir, "out")); err != nil {
				t.Fatal(err)
			}
			got := s.steps(t, step)
			if got.code != 1 || got.result(t).OK {
				t.Errorf("exit %d, result %+v, want a failure", got.code, got.result(t))
			}
			left, err := fs.Glob(os.DirFS(outside), "*")
			if err != nil || len(left) != 1 || left[0] != "kept" {
				t.Errorf("outside holds %q, %v, want only what was there", left, err)
			}
		})
	}
}
