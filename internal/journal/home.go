package journal

import (
	"fmt"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/project"
)

// homes finds the work trees that runs belong to, seen from one of them.
type homes struct {
	dir  string // the folder of the records
	tree string
	find func(tree string) (Store, error) // the records of another work tree, of this project or not
}

// of is the work tree that a run of this state folder belongs to, and whether
// that is gone. A run of the main work tree, which keeps its runs elsewhere now,
// came here with a copy of the project, or moved with it, and must not reach back
// to where it was made. A run of a linked work tree belongs to that and no other:
// in any other its agent would work on another branch, among the user's own files.
func (h homes) of(m Meta) (tree string, gone bool) {
	if m.Tree == h.tree || m.Tree == "" {
		return h.tree, false
	}
	if m.Linked != nil {
		return h.ofLinked(m)
	}
	if there, err := h.find(m.Tree); err == nil && there.Dir == h.dir && there.Tree == m.Tree {
		return m.Tree, false
	}
	if project.LinkOf(h.tree) != nil {
		return m.Tree, true
	}
	return h.tree, false
}

// at is what a run says of itself, with its work tree as that is now. Of a run that
// could not be read there is nothing.
func (h homes) at(m Meta) Meta {
	if m.ID != "" {
		m.Tree, m.Gone = h.of(m)
	}
	return m
}

// ofLinked looks where the linked work tree of a run was, where git says that it
// is, and whether it is the one that we look from.
func (h homes) ofLinked(m Meta) (tree string, gone bool) {
	below := filepath.FromSlash(m.Linked.Below)
	if h.isLinked(m.Tree, below) {
		return m.Tree, false
	}
	admin := m.Linked.Admin(h.tree)
	if entry, err := readSmall(filepath.Join(admin, "gitdir")); err == nil {
		moved := filepath.Join(filepath.Dir(project.From(admin, string(entry))), below)
		if h.isLinked(moved, below) {
			return moved, false
		}
	}
	if here := project.LinkOf(h.tree); here != nil && here.Name == m.Linked.Name && here.Below == m.Linked.Below {
		return h.tree, false
	}
	return m.Tree, true
}

// isLinked tells whether a folder is in a linked work tree of this repository,
// and where in it.
func (h homes) isLinked(tree, below string) bool {
	there, err := h.find(tree)
	if err != nil || there.Dir != h.dir {
		return false
	}
	link := project.LinkOf(tree)
	return link != nil && link.Below == filepath.ToSlash(below)
}

// GoneError says that the work tree of a run is no more.
type GoneError struct {
	Run  string
	Tree string // where it was

	bring string // the command that brings it back
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
