package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/text"
)

// Store is where the records of a project are: its runs and its locks. Work
// trees of one git repository share it, and each has a lock of its own.
type Store struct {
	Dir  string // the folder of the records
	Tree string // the work tree, absolute and without symbolic links

	project *project.Project // nil: the records are just where Dir says
	keys    Keys
	who     func() (Holder, bool) // has the runs; nil: the locks say so
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
	return Store{Dir: p.Dir, Tree: p.Tree, project: &p, keys: Keys{project: &p, read: sync.OnceValues(p.Keys().Read)}}, nil
}

// At is where the runs of another work tree of the project are.
func (s Store) At(tree string) Store {
	s.Tree = tree
	return s
}

// HeldBy is a store of runs that are elsewhere, as their locks are: who holds them now
// is somebody's word.
func HeldBy(s Store, who func() (Holder, bool)) Store {
	s.who = who
	return s
}

// Claim makes ready to write: whoever makes a run, or goes on with one, calls it
// first. Runs that an earlier version has left in the project are elsewhere
// afterwards.
func (s Store) Claim() (Store, error) {
	if s.project == nil {
		return s, nil
	}
	worked := workedInOriginal(s.project)
	p, err := s.project.Claim()
	var busy *project.BusyError
	if errors.As(err, &busy) {
		err = &LiveError{What: busy.Error(), Hint: "wait until it has ended, or end it with \"refrain stop\""}
	}
	claimed, err := opened(p, err)
	if err == nil && worked {
		err = Worked{claimed.Dir}.Mark(context.Background(), "")
	}
	return claimed, err
}

// LiveError says that a run is live, and that its records cannot be had for that.
type LiveError struct{ What, Hint string }

func (e *LiveError) Error() string { return e.What }

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

// Keys is what the records are sealed with.
func (s Store) Keys() Keys { return s.keys }

// show leads people to the records again when an agent has deleted what did.
func (s Store) show() {
	if s.project != nil {
		s.project.Show()
	}
}

// Gone is the error for a run whose work tree is gone.
func (s Store) Gone(m Meta) *GoneError {
	e := &GoneError{Run: m.Name, Tree: m.Tree}
	if m.Linked != nil {
		e.bring = m.Linked.Bring(m.Tree, s.Tree)
	}
	return e
}

// runs is the folder with one folder for each run.
func (s Store) runs() shelf { return shelf(filepath.Join(s.Dir, "runs")) }

// dir is the folder of a run, which need not exist.
func (s Store) dir(name string) string { return s.runs().dir(name) }

// Remove deletes a run. That an agent may have worked in it stays noted. The last run
// of a procedure leaves an empty folder, so that no later run takes its name: scripts
// and notes may still speak of it.
func (s Store) Remove(name string) error {
	if !IsName(name) {
		return &NotFoundError{Ref: name}
	}
	// A removal that is cut short leaves nothing that looks like a run, and what it
	// leaves is swept.
	if err := s.runs().remove(name, filepath.Join(s.Dir, project.Removing+rand.Text()[:8])); err != nil {
		return fmt.Errorf("remove run %s: %w", name, err)
	}
	forgetIndex(s)
	return Worked{s.Dir}.Mark(context.Background(), "") // now there is room for it, on a disk that was full
}

// SetAside moves a run that cannot be read out of the way and says where to. It
// is not listed any more, but nothing of it is lost.
func (s Store) SetAside(name string) (string, error) {
	if !IsName(name) {
		return "", &NotFoundError{Ref: name}
	}
	for n := 1; ; n++ {
		aside := s.dir(name + asideMark + strconv.Itoa(n))
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		if err := os.Rename(s.dir(name), aside); err != nil {
			return "", fmt.Errorf("set run %s aside: %w", name, err)
		}
		forgetIndex(s)
		return aside, nil
	}
}

// shelf is a folder with one folder for each run.
type shelf string

func (s shelf) dir(name string) string { return filepath.Join(string(s), name) }

// folders are those of runs, by their names.
func (s shelf) folders() ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(string(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &project.PlaceError{Err: fmt.Errorf("list runs: %w", err)}
	}
	return entries, nil
}

// highest is the highest number that a run of a procedure has; 0 when there is
// none.
func (s shelf) highest(procedure string) (int, error) {
	entries, err := os.ReadDir(string(s))
	highest := 0
	for _, e := range entries {
		if p, n, ok := parseName(e.Name()); ok && p == procedure {
			highest = max(highest, n)
		}
	}
	return highest, err
}

// remove moves a run aside, and then deletes it there.
func (s shelf) remove(name, aside string) error {
	dir := s.dir(name)
	if left, err := os.ReadDir(dir); errors.Is(err, fs.ErrNotExist) || err == nil && len(left) == 0 {
		return &NotFoundError{Ref: name}
	}
	procedure, n, _ := parseName(name)
	highest, err := s.highest(procedure)
	if err != nil {
		return err
	}
	if err := os.Rename(dir, aside); err != nil {
		return err
	}
	if n >= highest {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return os.RemoveAll(aside)
}

// procedureName is what can be part of the name of a folder everywhere.
var procedureName = text.NewPattern(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// runName is a run's folder, as it is or as SetAside has left it.
var runName = text.NewPattern(`^(.+?)-([0-9]+)(\.corrupt-[0-9]+)?$`)

// asideMark is in the name of a folder that SetAside has moved.
const asideMark = ".corrupt-"

// parseName splits build-7 into its procedure and its number. What was set
// aside keeps its number taken.
func parseName(name string) (procedure string, n int, ok bool) {
	part := runName().FindStringSubmatch(name)
	if part == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(part[2])
	return part[1], n, err == nil
}

// IsName tells whether a run may be called so, and not, say, "..".
func IsName(name string) bool {
	return runName().MatchString(name) && procedureName().MatchString(name) && !strings.Contains(name, asideMark)
}
