package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Store is the state folder of a work tree: its runs and its lock. Work trees
// of one git repository share the folder, and each has a lock of its own.
type Store struct {
	Dir  string // the state folder
	Tree string // the work tree, absolute and without symbolic links
}

// Open finds the state folder of a work tree and creates nothing. Inside git it
// lies in the common git folder, out of reach of an agent's "git clean -fdx";
// elsewhere it is .refrain in the work tree.
func Open(tree string) (Store, error) {
	tree, err := filepath.Abs(tree)
	if err != nil {
		return Store{}, fmt.Errorf("find state folder: %w", err)
	}
	// One tree reached by two paths must have one lock.
	tree, err = filepath.EvalSymlinks(tree)
	if err != nil {
		return Store{}, fmt.Errorf("find state folder: %w", err)
	}
	git, err := findGit(tree)
	if err != nil {
		return Store{}, fmt.Errorf("find state folder: %w", err)
	}
	if git.root == "" {
		return Store{Dir: filepath.Join(tree, ".refrain"), Tree: tree}, nil
	}
	return Store{Dir: filepath.Join(git.common, "refrain"), Tree: tree}, nil
}

// gitTree is a work tree of git's.
type gitTree struct {
	root   string // empty: there is none
	dir    string // its git folder
	common string // the one that all work trees of the repository share
}

// linked tells whether it is not the main work tree of its repository.
func (g gitTree) linked() bool { return g.dir != g.common }

// findGit finds the work tree around dir. It reads what git reads, without the
// price of starting git.
func findGit(dir string) (gitTree, error) {
	for {
		git, err := gitAt(dir)
		if err != nil || git.root != "" {
			return git, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return gitTree{}, nil
		}
		dir = parent
	}
}

// gitAt follows the .git entry of a folder, which may be the git folder itself
// or, in linked work trees and submodules, a file that names it.
func gitAt(root string) (gitTree, error) {
	entry := filepath.Join(root, ".git")
	info, err := os.Stat(entry)
	if errors.Is(err, fs.ErrNotExist) {
		return gitTree{}, nil
	}
	if err != nil {
		return gitTree{}, err
	}

	git := entry
	if !info.IsDir() {
		if git, err = gitFile(entry); err != nil {
			return gitTree{}, err
		}
	}
	if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
		if info.IsDir() && errors.Is(err, fs.ErrNotExist) {
			return gitTree{}, nil // git, too, looks further up past an empty .git
		}
		return gitTree{}, fmt.Errorf("%s does not lead to a git folder: %w", entry, err)
	}

	common, err := readSmall(filepath.Join(git, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitTree{root: root, dir: git, common: git}, nil
	}
	if err != nil {
		return gitTree{}, err
	}
	return gitTree{root: root, dir: git, common: from(git, string(common))}, nil
}

// gitFile reads the one line of a .git file: "gitdir: PATH".
func gitFile(path string) (string, error) {
	b, err := readSmall(path)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(b), "gitdir:")
	if !ok {
		return "", fmt.Errorf("%s does not begin with \"gitdir:\"", path)
	}
	return from(filepath.Dir(path), target), nil
}

// from resolves a path that git wrote, seen from dir.
func from(dir, path string) string {
	path = filepath.FromSlash(strings.TrimSpace(path))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
