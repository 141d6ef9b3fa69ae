package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

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
