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
	Gone  bool     // none of these is there any more
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
		k := Known{Dir: filepath.Join(projects(state), e.Name()), Root: n.Root, Trees: n.Trees, Gone: true}
		for _, path := range append([]string{n.Root}, n.Trees...) {
			if _, err := os.Lstat(path); err == nil {
				k.Gone = false
			}
		}
		list = append(list, k)
	}
	return list, nil
}

// Busy tells whether a run of the project is live, wherever it was moved.
func (k Known) Busy() bool { return busy(k.Dir) }

// Forget removes the records of a project, with all of its runs.
func (k Known) Forget() error {
	state := filepath.Dir(filepath.Dir(k.Dir))
	id := filepath.Base(k.Dir)
	for _, path := range append([]string{k.Root}, k.Trees...) {
		if owner, ok := lookUp(state, path); ok && owner == id {
			if err := os.Remove(placeFile(state, path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return os.RemoveAll(k.Dir)
}
