package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
)

// Glimpse is the folder of a run that is elsewhere: its records as they were when it
// was last heard of, without seals. They are to be looked at, and nobody goes on with
// them.
type Glimpse struct {
	Store Store // the records are just where Dir says
	Name  string
}

// Dir is the folder of the run.
func (g Glimpse) Dir() string { return g.Store.dir(g.Name) }

// Show makes the folder say what has travelled. A reader beside it sees the run as it
// was or as it is: what is only longer grows, and all else is put there in one piece.
// The files of the attempts are to be there before.
func (g Glimpse) Show(l Luggage) error {
	m, err := l.meta()
	if err != nil {
		return err
	}
	for _, err := range eventsOf(l.Journal, l.ID) {
		if err != nil {
			return err
		}
	}
	m = g.Store.keys.under(m, nil)
	m.Name, m.Tree, m.Linked = g.Name, "", nil
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(g.Dir(), 0o700); err != nil {
		return err
	}
	if err := replace(filepath.Join(g.Dir(), metaName), append(b, '\n'), false); err != nil {
		return fmt.Errorf("show a run: %w", err)
	}
	if err := grow(filepath.Join(g.Dir(), journalName), Renamed(l.Journal, l.Name, g.Name)); err != nil {
		return fmt.Errorf("show a run: %w", err)
	}
	return nil
}

// grow makes a file say what goes on from what it says, or something else.
func grow(path string, content []byte) error {
	was, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(was) == 0 || !bytes.HasPrefix(content, was) {
		return replace(path, content, false)
	}
	if len(was) == len(content) {
		return nil
	}
	f, err := files.Append(path, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(content[len(was):]); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
