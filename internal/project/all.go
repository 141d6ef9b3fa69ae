package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Known is a project that has records, wherever it is.
type Known struct {
	Dir   string   // where its records are
	Root  string   // where it is, or was
	Trees []string // its work trees that had a run
	Gone  bool     // it is at none of these any more

	Elsewhere bool // it is gone from there, and surely still somewhere

	id, state string
}

// All lists the projects of this user that have records.
func All() ([]Known, error) {
	state, err := Folder(os.Getenv)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(projects(state))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Known
	for _, e := range entries {
		n, err := readNote(state, e.Name())
		if err != nil {
			continue // somebody is just making it, or it is none of ours
		}
		k := Known{Dir: filepath.Join(projects(state), e.Name()), Root: n.Root, Trees: n.Trees, id: e.Name(), state: state}
		k.look(n)
		list = append(list, k)
	}
	return list, nil
}

// look finds out where the project is.
func (k *Known) look(n note) {
	k.Gone = true
	for _, path := range append([]string{n.Root}, n.Trees...) {
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		// What cannot be looked at may be there, and what is there may be another's.
		if owner, _, known := lookUp(k.state, path); err != nil || !known || owner == k.id {
			k.Gone = false
		}
	}
	k.Elsewhere = k.Gone && Project{state: k.state}.elsewhere(k.id)
}

// Busy tells whether a run of the project is live, wherever it was moved.
func (k Known) Busy() bool { return busy(k.Dir) }

// Forget removes the records of a project that is gone, with all of its runs, and
// tells whether it did: not when the project is back by now, or at work. What the
// note says goes last, so that what was cut short can be found and ended.
func (k Known) Forget(remove func(path string) error) (bool, error) {
	lock, err := lockProjects(k.state, lockPatience)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	n, err := readNote(k.state, k.id)
	if err != nil {
		return false, err
	}
	if k.look(n); !k.Gone || k.Elsewhere || k.Busy() {
		return false, nil
	}
	entries, err := os.ReadDir(k.Dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Name() == noteName {
			continue
		}
		if err := remove(filepath.Join(k.Dir, e.Name())); err != nil {
			return false, err
		}
	}
	var places []string
	for _, path := range append([]string{n.Root}, n.Trees...) {
		places = append(places, placeFile(k.state, path))
	}
	places = append(places, identityFile(k.state, n.Identity))
	for _, file := range places {
		if owner, _, ok := noted(k.state, file); !ok || owner != k.id {
			continue
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, remove(k.Dir)
}
