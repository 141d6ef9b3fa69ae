package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Git is a work tree of git's.
type Git struct {
	Root   string // empty: there is none
	Dir    string // its git folder
	Common string // the one that all work trees of the repository share
}

// Linked tells whether it is not the main work tree of its repository.
func (g Git) Linked() bool { return g.Dir != g.Common }

// FindGit finds the work tree around dir. It reads what git reads, without the
// price of starting git.
func FindGit(dir string) (Git, error) {
	for {
		git, err := GitAt(dir)
		if err != nil || git.Root != "" {
			return git, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Git{}, nil
		}
		dir = parent
	}
}

// GitAt follows the .git entry of a folder, which may be the git folder itself
// or, in linked work trees and submodules, a file that names it. With an error, the
// git folder is told as far as it is known.
func GitAt(root string) (Git, error) {
	entry := filepath.Join(root, ".git")
	info, err := os.Stat(entry)
	if errors.Is(err, fs.ErrNotExist) {
		return Git{}, nil
	}
	if err != nil {
		return Git{}, err
	}

	git := entry
	if !info.IsDir() {
		if git, err = gitFile(entry); err != nil {
			return Git{}, err
		}
	}
	if !HasHead(git) {
		if info.IsDir() {
			return Git{}, nil // git, too, looks further up past an empty .git
		}
		return Git{}, fmt.Errorf("%s does not lead to a git folder: %s has no HEAD", entry, git)
	}

	common, err := CommonOf(git)
	return Git{Root: root, Dir: git, Common: common}, err
}

// HasHead tells whether a folder is one of git's. Its HEAD may be a link to a
// branch that has no commit yet.
func HasHead(git string) bool {
	_, err := os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}

// CommonOf is the folder that all work trees of a git folder share.
func CommonOf(git string) (string, error) {
	common, err := readSmall(filepath.Join(git, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return git, nil // no linked work tree
	}
	return From(git, string(common)), err
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
	return From(filepath.Dir(path), target), nil
}

// From resolves a path that git wrote, seen from dir.
func From(dir, path string) string {
	path = filepath.FromSlash(strings.TrimSpace(path))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// maxSmall is more than any file has that is read here.
const maxSmall = 1 << 20

// readSmall reads a small file. An agent may have put a pipe in its place.
func readSmall(path string) ([]byte, error) {
	return files.ReadFile(context.Background(), path, maxSmall)
}
