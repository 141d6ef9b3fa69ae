package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/project"
)

// Linked is what git knows of the linked work tree that a run was made in. By it
// the work tree is found again when it was moved.
type Linked struct {
	Name   string `json:"name"`             // of its folder in the git folder
	Below  string `json:"below,omitempty"`  // from its root to the run's own tree
	Branch string `json:"branch,omitempty"` // that was checked out when the run began
}

// linkOf describes the linked work tree that a folder is in; nil when it is in
// none. What cannot be read was refused when the state folder was looked for.
func linkOf(tree string) *Linked {
	git, err := project.FindGit(tree)
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

// home is the work tree that a run of this state folder belongs to, and whether
// that is gone. A run of the main work tree, which keeps its runs elsewhere now,
// came here with a copy of the project, or moved with it, and must not reach back
// to where it was made. A run of a linked work tree belongs to that and no other:
// in any other its agent would work on another branch, among the user's own files.
func (s Store) home(m Meta) (tree string, gone bool) {
	if m.Tree == s.Tree || m.Tree == "" {
		return s.Tree, false
	}
	if m.Linked != nil {
		return s.linkedHome(m)
	}
	if there, err := s.beside(m.Tree); err == nil && there.Dir == s.Dir && there.Tree == m.Tree {
		return m.Tree, false
	}
	if linkOf(s.Tree) != nil {
		return m.Tree, true
	}
	return s.Tree, false
}

// linkedHome looks where the linked work tree of a run was, where git says that
// it is, and whether it is the one that we look from.
func (s Store) linkedHome(m Meta) (tree string, gone bool) {
	below := filepath.FromSlash(m.Linked.Below)
	if s.isLinked(m.Tree, below) {
		return m.Tree, false
	}
	admin := s.admin(*m.Linked)
	if entry, err := readSmall(filepath.Join(admin, "gitdir")); err == nil {
		moved := filepath.Join(filepath.Dir(project.From(admin, string(entry))), below)
		if s.isLinked(moved, below) {
			return moved, false
		}
	}
	if here := linkOf(s.Tree); here != nil && here.Name == m.Linked.Name && here.Below == m.Linked.Below {
		return s.Tree, false
	}
	return m.Tree, true
}

// isLinked tells whether a folder is in a linked work tree of this repository,
// and where in it.
func (s Store) isLinked(tree, below string) bool {
	there, err := s.beside(tree)
	if err != nil || there.Dir != s.Dir {
		return false
	}
	link := linkOf(tree)
	return link != nil && link.Below == filepath.ToSlash(below)
}

// admin is the folder that git keeps for a linked work tree.
func (s Store) admin(l Linked) string {
	common, err := s.common()
	if err != nil {
		return ""
	}
	return filepath.Join(common, "worktrees", l.Name)
}

// GoneError says that the work tree of a run is no more.
type GoneError struct {
	Run  string
	Tree string // where it was

	bring string // the command that brings it back
}

// Gone is the error for a run whose work tree is gone.
func (s Store) Gone(m Meta) *GoneError {
	e := &GoneError{Run: m.Name, Tree: m.Tree}
	if m.Linked == nil {
		return e
	}
	words := []string{"git worktree add"}
	if _, err := os.Lstat(s.admin(*m.Linked)); err == nil {
		words = append(words, "-f") // git still thinks that it is there
	}
	root := filepath.Clean(strings.TrimSuffix(m.Tree, filepath.FromSlash(m.Linked.Below)))
	switch branch := m.Linked.Branch; {
	case branch == "":
		words = append(words, root)
	case s.hasBranch(branch):
		words = append(words, root, branch)
	default:
		words = append(words, "-b", branch, root) // it was merged, then deleted
	}
	e.bring = strings.Join(words, " ")
	return e
}

func (s Store) hasBranch(name string) bool {
	common, err := s.common()
	if err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(common, "refs", "heads", filepath.FromSlash(name))); err == nil {
		return true
	}
	packed, err := readSmall(filepath.Join(common, "packed-refs"))
	return err == nil && strings.Contains(string(packed), " refs/heads/"+name+"\n")
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("%s belongs to the work tree %s, which is gone", e.Run, e.Tree)
}

// Hint says what to do.
func (e *GoneError) Hint() string {
	if e.bring == "" {
		return "go to where you moved it"
	}
	return fmt.Sprintf("bring it back: %s; if you moved it, run \"git worktree repair\" there; \"refrain prune\" deletes old records", e.bring)
}
