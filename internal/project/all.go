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
