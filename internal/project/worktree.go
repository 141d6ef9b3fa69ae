package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Linked is what git knows of a linked work tree. By it the work tree is found
// again when it was moved.
type Linked struct {
	Name   string `json:"name"`             // of its folder in the git folder
	Below  string `json:"below,omitempty"`  // from its root to the tree that is meant
	Branch string `json:"branch,omitempty"` // that was checked out
}

// LinkOf describes the linked work tree that a folder is in; nil when it is in
// none. What cannot be read was refused when the state folder was looked for.
func LinkOf(tree string) *Linked {
	git, err := FindGit(tree)
	if err != nil || !git.Linked() {
		return nil
	}
	below, err := filepath.Rel(git.Root, tree)
	if err != nil || below == "." {
		below = ""
	}
	l := &Linked{Name: filepath.Base(git.Dir), Below: filepath.ToSlash(below)}
	if head, err := readSmall(filepath.Join(git.Dir, "HEAD")); err == nil {
		if branch, ok := strings.CutPrefix(string(head), "ref: refs/heads/"); ok {
			l.Branch = strings.TrimSpace(branch)
		}
	}
	return l
}

// Repository is the name of the repository that a linked work tree belongs to; empty when
// the work tree is gone.
func (l Linked) Repository(tree string) string {
	git, err := FindGit(tree)
	if err != nil || git.Root == "" {
		return ""
	}
	if filepath.Base(git.Common) == ".git" {
		return filepath.Base(filepath.Dir(git.Common))
	}
	return strings.TrimSuffix(filepath.Base(git.Common), ".git") // a bare one
}

// Admin is the folder that git keeps for a linked work tree of the repository that
// a folder is in; empty when it is in none.
func (l Linked) Admin(tree string) string {
	if git, err := FindGit(tree); err == nil && git.Root != "" {
		return filepath.Join(git.Common, "worktrees", l.Name)
	}
	return ""
}

// Bring is the command that brings a linked work tree back to where it was, seen
// from another one of its repository.
func (l Linked) Bring(tree, from string) string {
	words := []string{"git worktree add"}
	if _, err := os.Lstat(l.Admin(from)); err == nil {
		words = append(words, "-f") // git still thinks that it is there
	}
	root := filepath.Clean(strings.TrimSuffix(tree, filepath.FromSlash(l.Below)))
	switch {
	case l.Branch == "":
		words = append(words, root)
	case hasBranch(from, l.Branch):
		words = append(words, root, l.Branch)
	default:
		words = append(words, "-b", l.Branch, root) // it was merged, then deleted
	}
	return strings.Join(words, " ")
}

// maxRefs is more than the branches of any repository take.
const maxRefs = 256 << 20

// hasBranch tells whether the repository that a folder is in has a branch.
func hasBranch(tree, name string) bool {
	git, err := FindGit(tree)
	if err != nil || git.Root == "" {
		return false
	}
	if _, err := os.Lstat(filepath.Join(git.Common, "refs", "heads", filepath.FromSlash(name))); err == nil {
		return true
	}
	packed, err := files.ReadFile(context.Background(), filepath.Join(git.Common, "packed-refs"), maxRefs)
	return err == nil && strings.Contains(string(packed), " refs/heads/"+name+"\n")
}
