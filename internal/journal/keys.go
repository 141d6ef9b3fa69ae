package journal

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Keys is what the records of a project are sealed with. Rehearsals have none, and
// neither has a project of an earlier version that is not taken in yet.
type Keys struct {
	project *project.Project // nil: the records are just somewhere
	read    func() ([]byte, error)
}

// seals tells whether the records here have seals.
func (k Keys) seals() bool { return k.project != nil && !k.project.Early }

// key is what the records of this user are sealed with; nil where they are not.
func (k Keys) key() ([]byte, error) {
	if !k.seals() {
		return nil, nil
	}
	return k.read()
}

// Has tells whether there is a key for the seals. The error says that what is in
// its place is none.
func (k Keys) Has() (bool, error) {
	key, err := k.key()
	return key != nil, err
}

// File is where the key of the seals is; empty where nothing is sealed.
func (k Keys) File() string {
	if k.project == nil {
		return ""
	}
	return k.project.Keys().File()
}

// Renew makes another key for the seals where there are runs and theirs is gone,
// and tells whether it was. Claim does not: whoever begins something that is to be
// sealed calls it first, and tells people.
func (k Keys) Renew() (renewed bool, err error) {
	if k.project == nil {
		return false, nil
	}
	return k.project.Keys().Renew()
}

// hold puts the key of the seals back where it was, if it is gone, and tells
// whether it was.
func (k Keys) hold(patience time.Duration) (back bool, err error) {
	key, err := k.key()
	if err != nil || key == nil {
		return false, nil // there was none
	}
	return k.project.Keys().Hold(key, patience)
}

// chainOf is how the records of a run are sealed.
func (k Keys) chainOf(m Meta) seal.Chain {
	if !k.seals() {
		return seal.Chain{Unsealed: k.project != nil}
	}
	key, err := k.key()
	c := seal.New(key, cmp.Or(m.Origin, m.ID))
	if m.Head != nil {
		// Nothing that was copied from another folder fits. The folder of a project's
		// records stays when the project is moved.
		c = seal.New(seal.KeyOf(key, strings.Join([]string{m.ID, m.Name, k.records()}, " ")), m.ID)
	}
	c.KeyFile = k.File()
	switch {
	case m.Key == "" && k.project.MadeEarlier(m.Name):
		c.Early = true
	case m.Key == "":
		c.Lost = err != nil || key == nil || m.Head == nil && k.project.CalledEarly(m.Name)
	default:
		c.Lost = err != nil || key == nil || m.Key != seal.KeyID(key)
	}
	return c
}

// records is what the folder of the project's records is called.
func (k Keys) records() string { return filepath.Base(k.project.Dir) }

// under is what a run says that is sealed with a key, which is nil where none is,
// before anything is in its journal.
func (k Keys) under(m Meta, key []byte) Meta {
	m.Key, m.Origin, m.Project, m.Head, m.Sealed = "", "", "", nil, nil
	if key != nil {
		m.Key, m.Project, m.Head = seal.KeyID(key), k.records(), &seal.Mark{}
	}
	return m
}

// sealPlace is what a sealed file of a run is bound to.
func sealPlace(c seal.Chain, m Meta, name string) string {
	if m.Head == nil && name == metaName {
		return m.ID + " " + name
	}
	return c.Place(name)
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

// TamperedError says what in the records of a run is not a runner's.
type TamperedError struct{ What string }

func (e *TamperedError) Error() string { return e.What }

// Hint says what to do.
func (e *TamperedError) Hint() string {
	return "nobody can tell what these records are worth: start another run with \"refrain run\""
}
