package project

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	lock := flock.New(filepath.Join(p.state, "projects.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return p, err
	}
	defer lock.Close()
	if err := p.makeKey(); err != nil {
		return p, err
	}
	found, err := find(p.state, p.Tree)
	if err != nil {
		return p, err
	}
	p = found
	from := ""
	if p.Early {
		from, p.Dir = p.Dir, p.own()
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
	p.Moved, p.CopyOf = "", ""
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

// own is the folder for the records of a project that has them elsewhere.
func (p Project) own() string {
	if id, known := lookUp(p.state, p.Root); known {
		return p.folder(id)
	}
	return p.folder(freeFolder(p.state, p.Root))
}

// busy tells whether any runner holds one of the locks in a folder of records.
func busy(dir string) bool {
	for _, path := range lockFiles(dir) {
		lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
		ok, err := lock.TryRLock()
		lock.Close()
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
		n = note{Root: p.Root, Since: time.Now().UTC().Truncate(time.Second)}
	}
	n.Trees = slices.Clone(n.Trees)
	if p.Moved != "" {
		for i, tree := range n.Trees {
			if below, ok := strings.CutPrefix(tree, n.Root); ok && (below == "" || below[0] == filepath.Separator) {
				n.Trees[i] = p.Root + below
			}
		}
	}
	// What is known by the path of a work tree stays where it is, whatever has
	// become of its git folder.
	if p.Moved != "" || n.Root == p.Root {
		n.Root, n.Identity = p.Root, identity(p.Root)
	}
	if !slices.Contains(n.Trees, p.Tree) {
		n.Trees = append(n.Trees, p.Tree)
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
	for _, path := range append([]string{n.Root}, n.Trees...) {
		if known, ok := lookUp(p.state, path); ok && known == id {
			continue
		}
		if err := replaceFile(placeFile(p.state, path), []byte(id)); err != nil {
			return err
		}
	}
	return nil
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
	return n.Root == o.Root && n.Identity == o.Identity && n.Since.Equal(o.Since) &&
		slices.Equal(n.Trees, o.Trees) && slices.Equal(n.Early, o.Early) && n.Seal == o.Seal
}

// AdmitEarlier notes that a run which came from another project has no seals, for
// an earlier version made it.
func (p Project) AdmitEarlier(run string) error {
	lock := flock.New(filepath.Join(p.state, "projects.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	n, err := readNote(p.state, filepath.Base(p.Dir))
	if err != nil {
		return err
	}
	n.Early = append(p.earlyRuns(n), run)
	if n.Seal, err = p.sealOf(n.Early); err != nil {
		return err
	}
	return n.save(p.Dir)
}

// sealOf is the seal of a list of runs that have none themselves.
func (p Project) sealOf(runs []string) (string, error) {
	key, err := p.Key()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "early runs of %s\n%s\n", filepath.Base(p.Dir), strings.Join(runs, "\n"))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// earlyRuns are the runs that were there before records were sealed; none when
// somebody else has written the list.
func (p Project) earlyRuns(n note) []string {
	seal, err := p.sealOf(n.Early)
	if err != nil || !hmac.Equal([]byte(seal), []byte(n.Seal)) {
		return nil
	}
	return n.Early
}

// MadeEarlier tells whether a run was made by a version that did not seal its
// records.
func (p Project) MadeEarlier(run string) bool {
	if p.Early {
		return true
	}
	n, err := readNote(p.state, filepath.Base(p.Dir))
	return err == nil && slices.Contains(p.earlyRuns(n), run)
}
