package journal

import (
	"errors"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/project"
)

// Store is where the records of a project are: its runs and its locks. Work
// trees of one git repository share it, and each has a lock of its own.
type Store struct {
	Dir  string // the folder of the records
	Tree string // the work tree, absolute and without symbolic links

	project *project.Project // nil: the records are just where Dir says
	keyOnce func() ([]byte, error)
}

// Open finds the records of the project around a work tree, and makes nothing.
func Open(tree string) (Store, error) {
	return opened(project.Find(tree))
}

// OpenIn is Open with another state folder than this user's.
func OpenIn(state, tree string) (Store, error) { return opened(project.FindIn(state, tree)) }

func opened(p project.Project, err error) (Store, error) {
	if err != nil {
		return Store{}, err
	}
	return Store{Dir: p.Dir, Tree: p.Tree, project: &p, keyOnce: sync.OnceValues(p.Keys().Read)}, nil
}

// beside finds the records of another work tree, of this project or not.
func (s Store) beside(tree string) (Store, error) {
	if s.project == nil {
		return Open(tree)
	}
	return OpenIn(s.project.State(), tree)
}

// At is where the runs of another work tree of the project are.
func (s Store) At(tree string) Store {
	s.Tree = tree
	return s
}

// Claim makes ready to write: whoever makes a run, or goes on with one, calls it
// first. Runs that an earlier version has left in the project are elsewhere
// afterwards.
func (s Store) Claim() (Store, error) {
	if s.project == nil {
		return s, nil
	}
	p, err := s.project.Claim()
	var busy *project.BusyError
	if errors.As(err, &busy) {
		err = &LiveError{What: busy.Error(), Hint: "wait until it has ended, or end it with \"refrain stop\""}
	}
	return opened(p, err)
}

// CopyOf is the project that this one is a copy of, as long as it has no records
// of its own; else it is empty.
func (s Store) CopyOf() string {
	if s.project == nil {
		return ""
	}
	return s.project.CopyOf
}

// InProject tells whether the records lie in the project itself, where an earlier
// version has put them.
func (s Store) InProject() bool { return s.project != nil && s.project.Early }

// show leads people to the records again when an agent has deleted what did.
func (s Store) show() {
	if s.project != nil {
		s.project.Show()
	}
}

// holdKey puts the key of the seals back where it was, if it is gone, and tells
// whether it was.
func (s Store) holdKey(patience time.Duration) (back bool, err error) {
	key, err := s.key()
	if err != nil || key == nil {
		return false, nil // there was none
	}
	return s.project.Keys().Hold(key, patience)
}

// RenewKey makes another key for the seals where there are runs and theirs is
// gone, and tells whether it was. Claim does not: whoever begins something that is
// to be sealed calls it first, and tells people.
func (s Store) RenewKey() (renewed bool, err error) {
	if s.project == nil {
		return false, nil
	}
	return s.project.Keys().Renew()
}

// HasKey tells whether there is a key for the seals. The error says that what is
// in its place is none.
func (s Store) HasKey() (bool, error) {
	key, err := s.key()
	return key != nil, err
}

// KeyFile is where the key of the seals is; empty where nothing is sealed.
func (s Store) KeyFile() string {
	if s.project == nil {
		return ""
	}
	return s.project.Keys().File()
}

// common is the git folder that all work trees of the repository share; an error
// when there is none.
func (s Store) common() (string, error) {
	git, err := project.FindGit(s.Tree)
	if err == nil && git.Root == "" {
		err = errors.New("no git folder")
	}
	return git.Common, err
}
