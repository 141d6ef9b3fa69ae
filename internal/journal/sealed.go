package journal

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

// sealed tells whether the records here have seals. They have none in a project
// of an earlier version that is not taken in yet, and in rehearsals.
func (s Store) sealed() bool { return s.project != nil && !s.project.Early }

// key is what the records of this user are sealed with; nil where they are not.
func (s Store) key() ([]byte, error) {
	if !s.sealed() {
		return nil, nil
	}
	return s.keyOnce()
}

// chainOf is how the records of a run are sealed.
func (s Store) chainOf(m Meta) chain {
	if !s.sealed() {
		return chain{unsealed: s.project != nil}
	}
	key, err := s.key()
	c := newChain(key, cmp.Or(m.Origin, m.ID))
	if m.Head != nil {
		c = newChain(keyOf(key, s.identity(m)), m.ID)
	}
	c.keyFile = s.project.Keys().File()
	switch {
	case m.Key == "" && s.project.MadeEarlier(m.Name):
		c.early = true
	case m.Key == "":
		c.lost = err != nil || key == nil || m.Head == nil && s.project.CalledEarly(m.Name)
	default:
		c.lost = err != nil || key == nil || m.Key != keyID(key)
	}
	return c
}

// identity is which run it is, and where: nothing that was copied from another
// folder fits. The folder of a project's records stays when the project is moved.
func (s Store) identity(m Meta) string {
	return strings.Join([]string{m.ID, m.Name, s.projectName()}, " ")
}

// projectName is what the folder of the project's records is called.
func (s Store) projectName() string { return filepath.Base(s.Dir) }

// misplaced says that run.json tells of another run than that of its folder.
func (s Store) misplaced(m Meta, called string) error {
	elsewhere := m.Head != nil && m.Project != s.projectName() // earlier versions did not say
	if !s.sealed() || called == m.Name && !elsewhere {
		return nil
	}
	whose := called
	if elsewhere {
		whose += " of another project"
	}
	return &CorruptError{File: filepath.Join(s.dir(m.Name), metaName), Line: 1, Err: fmt.Errorf("it is that of %s, which somebody has copied here", whose)}
}

// bind lets the run seal what it writes from now on, after a place in its journal.
func (r *Run) bind(c chain, at Mark) {
	r.chain = c
	r.last, r.safe = at, at
}

// start is the place before the first line.
func (c chain) start() Mark { return Mark{Seal: c.seed} }

// sealPlace is what a sealed file of a run is bound to.
func (c chain) sealPlace(m Meta, name string) string {
	if m.Head == nil && name == metaName {
		return m.ID + " " + name
	}
	return c.seed + " " + name
}

// LostKeyError says that nobody can tell any more what the records of a run are
// worth: they were sealed with another key than there is now.
type LostKeyError struct {
	Run  string
	File string // where the key was
}

func (e *LostKeyError) Error() string { return e.Run + " cannot be checked: " + keyGone }

// Hint says what to do.
func (e *LostKeyError) Hint() string {
	return fmt.Sprintf("put %s back from a copy; \"refrain status %s\" shows what is recorded, and \"refrain run\" starts another", e.File, e.Run)
}

// keyGone is why something cannot be checked.
const keyGone = "the key that sealed it is gone"

// Checkable is a *LostKeyError when the records of a run cannot be checked.
func (e Entry) Checkable() error {
	if e.Unchecked == "" {
		return nil
	}
	return &LostKeyError{Run: e.Name, File: e.keyFile}
}

// TamperedError says what in the records of a run is not a runner's.
type TamperedError struct{ What string }

func (e *TamperedError) Error() string { return e.What }

// Hint says what to do.
func (e *TamperedError) Hint() string {
	return "nobody can tell what these records are worth: start another run with \"refrain run\""
}

// Intact is a *TamperedError when somebody else was seen to write to the journal.
// It costs nothing, and Verify finds more.
func (r *Run) Intact() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal.meddled == "" {
		return nil
	}
	return &TamperedError{What: journalName + ": " + r.journal.meddled + " while the run was live"}
}

// Verify is a *TamperedError when the journal is not what this run has written. A
// journal that cannot be read is trouble, and no tampering.
func (r *Run) Verify() error {
	if err := r.Intact(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.chain.mac == nil || r.mended != nil {
		return nil
	}
	found, err := r.chain.survey(r.journal.path, "")
	if err != nil || found.misfit == "" {
		return nil
	}
	return &TamperedError{What: found.misfit}
}
