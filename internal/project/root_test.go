package project

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	tests := []struct {
		name       string
		make       []string // folders end in a slash
		from, want string
	}{
		{"the nearest refrain.toml", []string{"refrain.toml", "a/refrain.toml"}, "a/b", "a"},
		{"the nearest .refrain", []string{"refrain.toml", "a/.refrain/"}, "a/b", "a"},
		{"the git root", []string{"a/.git/HEAD"}, "a/b", "a"},
		{"a linked work tree, where .git is a file", []string{"a/.git"}, "a/b", "a"},
		{"refrain.toml above the git root is another's", []string{"refrain.toml", ".refrain/", "a/.git/HEAD"}, "a/b", "a"},
		{"an empty .git is no repository", []string{".git/", "a/x"}, "a/b", "a/b"},
		{"refrain.toml below the git root", []string{".git/HEAD", "a/refrain.toml"}, "a/b", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := folders(t, append(tt.make, tt.from+"/"))
			got, err := Root(filepath.Join(top, tt.from), nil)
			if want := filepath.Join(top, tt.want); err != nil || got != want {
				t.Errorf("Root = %s, %v, want %s", got, err, want)
			}
		})
	}
}

// folders makes files and, where the name ends in a slash, folders.
func folders(t *testing.T, names []string) (top string) {
	t.Helper()
	top = t.TempDir()
	for _, name := range names {
		path := filepath.Join(top, name)
		if name[len(name)-1] != '/' {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, "")
		} else if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestNewRoot(t *testing.T) {
	tests := []struct {
		name       string
		make       []string
		from, want string
	}{
		{"the git root", []string{"a/.git/HEAD"}, "a/b", "a"},
		{"a project of its own below the git root", []string{".git/HEAD", "a/refrain.toml"}, "a/b", "a"},
		{"without git the folder itself, whatever lies above", []string{"refrain.toml", ".refrain/"}, "a/b", "a/b"},
		{"a project above the git root is another's", []string{"refrain.toml", "a/.git/HEAD"}, "a/b", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := folders(t, append(tt.make, tt.from+"/"))
			got, err := NewRoot(filepath.Join(top, tt.from), nil)
			if want := filepath.Join(top, tt.want); err != nil || got != want {
				t.Errorf("NewRoot = %s, %v, want %s", got, err, want)
			}
		})
	}
}

func TestRootOfNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	for _, dir := range []string{file, file + "-missing"} {
		if got, err := Root(dir, nil); err == nil {
			t.Errorf("Root(%s) = %s, want an error", dir, got)
		}
	}
}

func TestRootOfAFolderWithoutMarks(t *testing.T) {
	dir := t.TempDir()
	if above, err := Root(filepath.Dir(dir), nil); err != nil || above != filepath.Dir(dir) {
		t.Skipf("the folder for temporary files lies in a work tree: %s", above)
	}
	if got, err := Root(dir, nil); err != nil || got != dir {
		t.Errorf("Root = %s, %v, want %s", got, err, dir)
	}
}
