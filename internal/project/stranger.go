package project

import (
	"os"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Safe gives the folders of other users that this user takes for own ones, in the
// words of git's safe.directory: paths, "PATH/*" for all below one, "*" for all,
// and an empty text that takes back what was said before. It is asked only when
// there is need to. Nil is none.
type Safe func() []string

// check sees that a work tree, found from dir, and all that marks it are ours.
func (s Safe) check(dir, tree string, marks []string) error {
	for _, path := range append([]string{tree}, marks...) {
		if !trusted(path) {
			if s.has(tree) {
				return nil
			}
			return &StrangerError{Path: path, Tree: tree, Above: tree != dir}
		}
	}
	return nil
}

// trusted tells whether a file is ours, and what it leads to if it is a link.
// What is gone by now tells nothing, and whoever reads it will find out.
func trusted(path string) bool {
	for _, look := range []func(string) (os.FileInfo, error){os.Lstat, os.Stat} {
		if info, err := look(path); err == nil && !files.Trusted(info) {
			return false
		}
	}
	return true
}

// has tells whether the user takes a folder for an own one.
func (s Safe) has(tree string) bool {
	if s == nil {
		return false
	}
	tree = files.Straight(tree)
	found := false
	for _, path := range s() {
		above, all := strings.CutSuffix(path, "*")
		switch {
		case path == "":
			found = false
		case path == "*":
			found = true
		case all && strings.HasSuffix(above, "/"):
			rel, below := files.Under(files.Straight(above), tree)
			found = found || below && rel != "."
		default:
			found = found || files.Straight(path) == tree
		}
	}
	return found
}

// StrangerError says that what would be the user's project belongs to somebody
// else, who could have us run anything by it.
type StrangerError struct {
	Path  string // what belongs to another user
	Tree  string // the work tree that it would make
	Above bool   // it lies above the folder where the user stands
}

func (e *StrangerError) Error() string { return e.Path + " belongs to another user" }

// Hint says what to do.
func (e *StrangerError) Hint() string {
	own := "work in a copy of your own"
	if e.Above {
		own = "begin a project of your own here with \"refrain init\""
	}
	return own + ", or, if you trust its owner, run: git config --global --add safe.directory " + e.Tree
}
