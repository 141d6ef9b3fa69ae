//go:build unix

package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWhatIsNamedStaysInItsTree(t *testing.T) {
	top := t.TempDir()
	tree := filepath.Join(top, "tree")
	for _, dir := range []string{"tree/in", "out"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"same": "in", "whole": filepath.Join(tree, "in"), // these stay
		"folder": "../out", "nowhere": "../none", "root": filepath.Join(top, "out"), "twice": "folder", "itself": "itself",
	} {
		if err := os.Symlink(target, filepath.Join(tree, link)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		path string
		in   bool
	}{
		{"a file that is not there yet", "new", true},
		{"in a folder", "in/new", true},
		{"by a link that stays", "same/new", true},
		{"by another name of its folder", "in/../in/new", true},
		{"above", "../out/new", false},
		{"by a link that leads out", "folder/new", false},
		{"by one that leads to nothing yet", "nowhere/new", false},
		{"by a whole path", "root/new", false},
		{"by a link to a link", "twice/new", false},
		{"by a link to itself", "itself/new", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := Named{Path: filepath.Join(tree, tt.path), Tree: tree}
			var outside *OutsideError
			for act, do := range map[string]func() error{
				"Check":  n.Check,
				"Folder": n.MakeFolder,
				"Append": func() error {
					f, err := n.Append(0o600)
					if err != nil {
						return err
					}
					return f.Close()
				},
				"Replace": func() error { return n.Replace([]byte("x"), 0o600, NoSync) },
			} {
				switch err := do(); {
				case tt.in && err != nil:
					t.Errorf("%s: %v", act, err)
				case !tt.in && !errors.As(err, &outside):
					t.Errorf("%s = %v, want an *OutsideError", act, err)
				}
			}
		})
	}
	if list, err := os.ReadDir(filepath.Join(top, "out")); err != nil || len(list) > 0 {
		t.Errorf("outside there is %v, %v", list, err)
	}

	// A link in the place of the file itself: it is not written through.
	if err := os.Symlink("../out/file", filepath.Join(tree, "link")); err != nil {
		t.Fatal(err)
	}
	n := Named{Path: filepath.Join(tree, "link"), Tree: tree}
	if _, err := n.Append(0o600); err == nil {
		t.Error("Append follows a link out of the tree")
	}
	if err := n.Replace([]byte("x"), 0o600, NoSync); err != nil {
		t.Errorf("Replace: %v: the link itself is in the tree", err)
	}
	if list, _ := os.ReadDir(filepath.Join(top, "out")); len(list) > 0 {
		t.Errorf("outside there is %v", list)
	}

	// A link by its whole path that stays, as people make them.
	whole := Named{Path: filepath.Join(tree, "whole", "new"), Tree: tree}
	if err := os.WriteFile(whole.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := whole.Check(); err != nil {
		t.Errorf("Check: %v", err)
	}
}

func TestWhatMayBeAnywhere(t *testing.T) {
	top := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	n := Anywhere(filepath.Join(top, "link", "below", "file"))
	if err := errors.Join(n.Check(), n.MakeFolder(), n.Replace([]byte("x"), 0o600, NoSync)); err != nil {
		t.Error(err)
	}
}
