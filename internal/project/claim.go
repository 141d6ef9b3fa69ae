package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// BusyError says that the records of a project that was moved are in use.
type BusyError struct{ Root string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("this project was moved here from %s, and its run is still live", e.Root)
}

// Claim makes the records of a project ready to be written to: their folder is
// there, the path leads to it, and the project shows where it is. What an earlier
// version left in the project is taken in.
func (p Project) Claim() (Project, error) {
	p, err := p.claim()
	var damaged *KeyError
	if errors.As(err, &damaged) {
		return p, damaged
	}
	if err != nil {
		return p, &PlaceError{fmt.Errorf("make a place for the records in %s: %w", p.Dir, err)}
	}
	return p, nil
}

func (p Project) claim() (Project, error) {
	if err := os.MkdirAll(places(p.state), 0o700); err != nil {
		return p, err
	}
	// Two copies of one project may be here at the same time.
	lock, err := lockProjects(p.state, lockPatience)
	if err != nil {
		return p, err
	}
	defer lock.Close()
	if err := p.Keys().makeFirst(); err != nil {
		return p, err
	}
	found, err := find(p.state, p.Tree)
	if err != nil {
		return p, err
	}
	p = found
	from := ""
	if p.Early {
		from, p.Dir = p.Dir, p.own
	}
	if p.Moved != "" && busy(p.Dir) {
		return p, &BusyError{Root: p.Moved}
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return p, err
	}
	if err := p.write(from); err != nil {
		return p, err
	}
	p.Moved = ""
	if from != "" {
		taken, err := p.takeIn(from)
		if err != nil {
			return p, err
		}
		if p.Early = !taken; p.Early {
			p.Dir = from
			return p, nil
		}
	}
	p.Show()
	return p, nil
}

// busy tells whether any runner holds one of the locks in a folder of records.
func busy(dir string) bool { return AtWork(dir, "") }

// AtWork tells whether a runner holds one of the locks in a folder of records, but
// for that of one work tree.
func AtWork(dir, but string) bool {
	for _, path := range Locks(dir) {
		if but != "" && filepath.Base(path) == LockName(but) {
			continue
		}
		lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
		ok, err := lock.TryRLock()
		_ = lock.Close()
		if err == nil && !ok {
			return true
		}
	}
	return false
}

// write notes what is known of the project, where it is not noted already.
func (p Project) write(early string) error {
	id := filepath.Base(p.Dir)
	before, err := readNote(p.state, id)
	fresh, n := err != nil, before
	if fresh {
		n = note{Root: p.Root, CopyOf: p.original, Since: time.Now().UTC().Truncate(time.Second)}
	}
	if p.Moved != "" {
		n = n.movedTo(p.Root)
	}
	n.Trees, n.Others = slices.Clone(n.Trees), maps.Clone(n.Others)
	// What is known by the path of a work tree stays where it is, whatever has
	// become of its git folder.
	if n.Root == p.Root {
		n.Identity = Identity(p.Root)
	}
	if !slices.Contains(n.Trees, p.Tree) {
		n.Trees = append(n.Trees, p.Tree)
	}
	if now := Identity(p.Tree); p.Tree != n.Root && now != "" {
		if n.Others == nil {
			n.Others = others{}
		}
		n.Others[p.Tree] = now
	}
	if early != "" {
		n.Early = names(early)
		if n.Seal, err = p.sealOf(n.Early); err != nil {
			return err
		}
	}
	if fresh || !n.equal(before) {
		if err := n.save(p.Dir); err != nil {
			return err
		}
	}
	return p.lead(id, n)
}

// lead has the paths of a project lead to it, and what its root is known by. What
// stands at a path where nobody is now may be another project's.
func (p Project) lead(id string, n note) error {
	var places []string
	for _, path := range append([]string{n.Root}, n.Trees...) {
		owner, _, known := lookUp(p.state, path)
		if here := path == p.Tree || path == p.Root; !known || here && owner != id {
			places = append(places, placeFile(p.state, path))
		}
	}
	if n.Identity != "" {
		if owner, _, known := noted(p.state, identityFile(p.state, n.Identity)); !known || owner != id {
			places = append(places, identityFile(p.state, n.Identity))
		}
	}
	for _, file := range places {
		if err := replaceFile(file, []byte(id)); err != nil {
			return err
		}
	}
	return nil
}

// movedTo is what is known of a project that was moved as a whole.
func (n note) movedTo(root string) note {
	was := n
	there := func(path string) string {
		if below, ok := strings.CutPrefix(path, was.Root); ok && (below == "" || below[0] == filepath.Separator) {
			return root + below
		}
		return path
	}
	n.Root, n.Trees, n.Others = root, nil, others{}
	for _, tree := range was.Trees {
		n.Trees = append(n.Trees, there(tree))
	}
	for path, identity := range was.Others {
		n.Others[there(path)] = identity
	}
	return n
}

// save writes the note into the folder of the records.
func (n note) save(dir string) error {
	b, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, noteName), append(b, '\n'))
}

func (n note) equal(o note) bool {
	return n.Root == o.Root && n.Identity == o.Identity && n.Since.Equal(o.Since) && n.CopyOf == o.CopyOf &&
		slices.Equal(n.Trees, o.Trees) && maps.Equal(n.Others, o.Others) && slices.Equal(n.Early, o.Early) && n.Seal == o.Seal
}
