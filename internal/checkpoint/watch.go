package checkpoint

import (
	"context"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// watch takes the print of every repository inside the tree that is still
// there; the value says whether its commit is in the index. A submodule that
// nobody has fetched may be fetched later. What lies outside of the run's work
// tree is not looked into: its changes do not count.
func (s *Store) watch(ctx context.Context, links map[string]bool) ([]nested, error) {
	var all []nested
	for name, linked := range links {
		n := nested{Path: []byte(name), Link: linked}
		_, err := os.Lstat(filepath.Join(s.origin.path(name), ".git"))
		switch rel, below := s.below(name); {
		case err != nil && !linked:
			continue
		case err == nil && below:
			m := newManifest()
			if err := walk(ctx, s.tree, m, rel); err != nil {
				return nil, err
			}
			n.Print = m.sum()
		}
		all = append(all, n)
	}
	return all, nil
}

// hasCommit tells whether a repository inside the tree has a commit to keep.
// Git refuses to add one that has none.
func (s *Store) hasCommit(ctx context.Context, name string) bool {
	at := s.origin.path(name)
	alone := git.Command{Env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(at)}}
	_, err := s.tree.Program().In(at).RunWith(ctx, alone, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	return err == nil
}

// unlinkFolders takes commits out of the index where a repository inside the
// tree has become a plain folder: git would not look at the files in it.
func (s *Store) unlinkFolders(ctx context.Context, known []nested) (plain []string, err error) {
	for _, n := range known {
		if n.Link && plainFolder(s.origin.path(string(n.Path))) {
			plain = append(plain, string(n.Path))
		}
	}
	return plain, s.update(ctx, changed{drop: plain})
}

// plainFolder tells whether there is a folder with files in it that is no
// repository.
func plainFolder(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, ".git")); !files.Absent(err) {
		return false
	}
	files, err := os.ReadDir(path)
	return err == nil && len(files) > 0
}
