package checkpoint

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/git"
)

// The tree that we make of an index is git's, whatever the version of the index and
// whatever it still knows of its folders.
func TestTheTreeOfAnIndexIsGits(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "4"} {
			t.Run(format+" "+version, func(t *testing.T) {
				t.Parallel()
				f := newFolder(t)
				f.Git("init", "-q", "--template=", "--object-format="+format)
				f.Git("config", "index.version", version)
				seed := rand.Uint64()
				random := rand.New(rand.NewPCG(seed, 0))
				for i := range 40 {
					f.Write(f.free(someName(random)), fmt.Sprint(i))
				}
				f.Git("add", "-A")
				f.Git("commit", "-q", "-m", "first")
				s := f.keep(f.open())
				f.checkpoint(s)
				for range 8 {
					for range random.IntN(6) {
						name := f.free(someName(random))
						switch random.IntN(4) {
						case 0:
							f.Must(os.RemoveAll(f.Path(strings.Split(name, "/")[0])))
						case 1:
							f.Must(os.MkdirAll(path.Dir(f.Path(name)), 0o700))
							f.Must(os.Symlink("somewhere", f.Path(name)))
						default:
							f.Write(name, fmt.Sprint(random.Uint64()))
						}
					}
					c := f.checkpoint(s)
					want, err := s.repo.run(t.Context(), git.Command{}, "write-tree")
					f.Must(err)
					if got := strings.TrimSpace(string(want)); c.Tree != got {
						t.Fatalf("seed %d: the tree is %s, and git's %s", seed, c.Tree, got)
					}
					x, err := readIndex(t.Context(), s.repo.index(), format)
					f.Must(err)
					out, err := s.repo.run(t.Context(), git.Command{}, "ls-files", "-z")
					f.Must(err)
					var paths []string
					for _, e := range x.entries {
						paths = append(paths, e.path)
					}
					if want := git.SplitNUL(out); !slices.Equal(paths, want) {
						t.Fatalf("seed %d: the files are %q, want %q", seed, paths, want)
					}
					if _, err := s.repo.run(t.Context(), git.Command{}, "fsck", "--no-dangling"); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
			})
		}
	}
}

// free removes what is in the way of a file.
func (f folder) free(name string) string {
	f.T.Helper()
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := os.Lstat(f.Path(name[:i])); err == nil && !info.IsDir() {
			f.Must(os.Remove(f.Path(name[:i])))
		}
	}
	f.Must(os.RemoveAll(f.Path(name)))
	return name
}

// someName is one of a few hundred names, some of which are in the way of others.
func someName(random *rand.Rand) string {
	parts := []string{"a", "b", "a-", "a.b", "Z", "b0"}
	name := parts[random.IntN(len(parts))] + fmt.Sprint(random.IntN(3))
	for random.IntN(2) == 0 {
		name += "/" + parts[random.IntN(len(parts))]
	}
	return name
}

// Git is left to read what only it can.
func TestAnIndexThatOnlyGitCanRead(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("new", "new")
	f.Git("add", "--intent-to-add", "new")
	x, err := readIndex(t.Context(), f.Path(".git/index"), "sha1")
	f.Must(err)
	if _, _, err := x.treeOf(func([]byte) ([]byte, error) { return make([]byte, 20), nil }); !errors.Is(err, errUnknownIndex) {
		t.Errorf("the tree with a file that is only meant to be added: %v", err)
	}
	f.Git("update-index", "--split-index")
	if _, err := readIndex(t.Context(), f.Path(".git/index"), "sha1"); !errors.Is(err, errUnknownIndex) {
		t.Errorf("an index in two files is read: %v", err)
	}
}

// A checkpoint is the same commit as git would write.
func TestACheckpointIsWrittenAsGitDoes(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	s := f.keep(f.open())
	f.checkpoint(s)
	f.Write("a.txt", "two")
	c := f.checkpoint(s)
	out, err := s.repo.run(t.Context(), git.Command{}, "cat-file", "commit", c.ID)
	f.Must(err)
	again, err := s.repo.run(t.Context(), git.Command{Stdin: out}, "hash-object", "-t", "commit", "--stdin")
	f.Must(err)
	if got := strings.TrimSpace(string(again)); got != c.ID {
		t.Errorf("it is %s, and git says %s", c.ID, got)
	}
}

// A folder that an index says it knows holds the files that are in it, and no others:
// one that is damaged is left to git, and made a tree of by nobody.
func TestWhatAnIndexKnowsOfItsFoldersMustBeSo(t *testing.T) {
	t.Parallel()
	object := make([]byte, 20)
	entries := []indexed{{path: "a", mode: 0o100644, object: object}, {path: "sub/x", mode: 0o100644, object: object}, {path: "sub/y", mode: 0o100644, object: object}, {path: "z", mode: 0o100644, object: object}}
	for files, good := range []bool{false, false, true, false, false} {
		x := &indexFile{entries: entries, trees: &knownTree{files: -1, folders: map[string]*knownTree{"sub": {files: files, object: object}}}}
		_, _, err := x.treeOf(func(tree []byte) ([]byte, error) {
			if len(tree) > 1000 {
				t.Fatal("the tree does not end")
			}
			return object, nil
		})
		if (err == nil) != good || err != nil && !errors.Is(err, errUnknownIndex) {
			t.Errorf("with %d files known in sub: %v", files, err)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00TREE\x00\x00\x00\x06\x00-1 0\n" + strings.Repeat("x", 20)))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := parseIndex(text, 20)
		if err != nil {
			return
		}
		x.folders()
		_, _, _ = x.treeOf(func(tree []byte) ([]byte, error) { return make([]byte, 20), nil })
		if len(x.entries) > len(text) {
			t.Errorf("%d files in %s", len(x.entries), hex.EncodeToString(text))
		}
	})
}
