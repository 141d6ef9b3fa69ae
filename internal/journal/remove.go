package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/refrain-loop/refrain/internal/project"
)

// asideMark is in the name of a folder that SetAside has moved.
const asideMark = ".corrupt-"

// Remove deletes a run. The last run of a procedure leaves an empty folder, so
// that no later run takes its name: scripts and notes may still speak of it.
func (s Store) Remove(name string) error {
	if !isName(name) {
		return &NotFoundError{Ref: name}
	}
	if err := s.remove(name); err != nil {
		return fmt.Errorf("remove run %s: %w", name, err)
	}
	return nil
}

func (s Store) remove(name string) error {
	dir := s.dir(name)
	if left, err := os.ReadDir(dir); errors.Is(err, fs.ErrNotExist) || err == nil && len(left) == 0 {
		return &NotFoundError{Ref: name}
	}
	last, err := s.isLast(name)
	if err != nil {
		return err
	}
	// A removal that is cut short leaves nothing that looks like a run, and what it
	// leaves is swept.
	aside := filepath.Join(s.Dir, project.Removing+rand.Text()[:8])
	if err := os.Rename(dir, aside); err != nil {
		return err
	}
	if last {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return os.RemoveAll(aside)
}

// isLast tells whether no run of the same procedure has a higher number.
func (s Store) isLast(name string) (bool, error) {
	procedure, n, _ := parseName(name)
	entries, err := os.ReadDir(s.runs())
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if p, m, ok := parseName(e.Name()); ok && p == procedure && m > n {
			return false, nil
		}
	}
	return true, nil
}

// SetAside moves a run that cannot be read out of the way and says where to. It
// is not listed any more, but nothing of it is lost.
func (s Store) SetAside(name string) (string, error) {
	if !isName(name) {
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
		return aside, nil
	}
}
