package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// key is what the records of this user are sealed with; nil where they are not:
// in a project of an earlier version that is not taken in yet, and in rehearsals.
func (s Store) key() ([]byte, error) {
	if s.project == nil || s.project.Early {
		return nil, nil
	}
	return s.keyOnce()
}

// chainOf is how the records of a run are sealed.
func (s Store) chainOf(m Meta) chain {
	if s.project == nil || s.project.Early {
		return chain{}
	}
	key, err := s.key()
	c := newChain(key, cmp.Or(m.Origin, m.ID))
	switch early := m.Key == "" && s.project.MadeEarlier(m.Name); {
	case early && (err != nil || key == nil):
		return chain{} // nobody has claimed the project since
	case early:
		c.early = true
	default:
		c.lost = err != nil || key == nil || m.Key != keyID(key)
	}
	return c
}

// bind lets the run seal what it writes from now on.
func (r *Run) bind(c chain) {
	r.chain = c
	r.last, r.safe = c.seed, c.seed
}

// takeUp opens the journal to add to it, after the last line that has a seal.
func (r *Run) takeUp() error {
	if err := r.journal.open(); err != nil {
		return err
	}
	if r.chain.mac == nil {
		return nil
	}
	f, err := files.OpenFile(r.journal.path)
	if err != nil {
		return err
	}
	defer f.Close()
	for l, err := range backward(f, r.journal.size) {
		if err != nil {
			return err
		}
		if _, seal := unseal(l.text); seal != "" {
			r.last, r.safe = seal, seal
			break
		}
	}
	return nil
}

// tampered says what in the records of a run was not written by a runner; empty
// when everything fits. Nobody may be writing.
func (s Store) tampered(r *Run, c chain) (string, error) {
	if c.lost {
		return "the key that its records are sealed with is gone", nil
	}
	what, had, err := c.firstMisfit(r.journal.path)
	if err != nil || what != "" {
		return what, err
	}
	if what, err := c.misfitFile(r.meta.ID+" "+metaName, filepath.Join(r.dir, metaName), true); err != nil || what != "" {
		return what, err
	}
	zero := attemptDir(r.dir, 0, 1)
	if what, err := c.misfitFile(r.sealPlace(guardedName), filepath.Join(zero, guardedName), had[(*loop.IterationStarted)(nil).Type()]); err != nil || what != "" {
		return what, err
	}
	return c.misfitFile(r.sealPlace(knownName), filepath.Join(zero, knownName), had[(*loop.RunBaseline)(nil).Type()])
}

// TamperedError says what in the records of a run is not a runner's.
type TamperedError struct{ What string }

func (e *TamperedError) Error() string { return e.What }

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
	if r.chain.mac == nil {
		return nil
	}
	what, _, err := r.chain.firstMisfit(r.journal.path)
	if err != nil || what == "" {
		return nil
	}
	return &TamperedError{What: what}
}

// sealPlace is what a sealed file of the run is bound to. A copy of the run has
// the same ones.
func (r *Run) sealPlace(name string) string { return cmp.Or(r.meta.Origin, r.meta.ID) + " " + name }

// firstMisfit finds the first line of a journal that does not follow the one
// before it, and which types of events there are.
func (c chain) firstMisfit(path string) (what string, had map[loop.Type]bool, err error) {
	f, err := files.OpenFile(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	size, err := goodEnd(f, info.Size())
	if err != nil {
		return "", nil, err
	}
	had = map[loop.Type]bool{}
	lines := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), blockSize)
	before, sealed := c.seed, false
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return "", had, nil
		}
		if err != nil {
			return "", nil, fmt.Errorf("read %s: %w", path, err)
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		_, seal := unseal(text)
		e, _, err := decodeLine(text)
		switch {
		case err != nil: // no event, and so nothing is believed of it
			continue
		case seal == "" && c.early && !sealed:
		case !c.follows(before, text):
			return fmt.Sprintf("line %d of %s, %s, is not what a runner wrote there", n, journalName, e.Type()), had, nil
		default:
			before, sealed = seal, true
		}
		had[e.Type()] = true
	}
}

// misfitFile says what is wrong with a sealed file. One of an earlier version
// has no seal.
func (c chain) misfitFile(place, path string, needed bool) (string, error) {
	b, err := readSmall(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && needed && !c.early:
		return filepath.Base(path) + " is missing", nil
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	if _, sealed, fits := c.unsealFile(place, b); !fits && (sealed || !c.early) {
		return filepath.Base(path) + " is not what a runner wrote", nil
	}
	return "", nil
}

// tamperedName is the journal as it was found.
const tamperedName = "journal.tampered.jsonl"

// reseal puts what is believed of a journal in its place, so that the run can be
// ended, and leaves the file as it was found beside it.
func (s Store) reseal(r *Run, c chain) error {
	var believed []loop.Event
	for e, err := range events(r.journal.path, c, new(Strange)) {
		if err != nil {
			return err
		}
		believed = append(believed, e)
	}
	key, err := s.key()
	if err != nil {
		return err
	}
	r.meta.Key = keyID(key)
	r.bind(newChain(key, cmp.Or(r.meta.Origin, r.meta.ID)))
	if err := os.Rename(r.journal.path, filepath.Join(r.dir, tamperedName)); err != nil {
		return err
	}
	if err := r.rewrite(believed); err != nil {
		return err
	}
	return r.writeMeta()
}

// rewrite makes a journal of events, in one piece.
func (r *Run) rewrite(events []loop.Event) error {
	var anew bytes.Buffer
	for _, e := range events {
		e.Seal = ""
		line, err := Encode(e)
		if err != nil {
			return err
		}
		if r.chain.mac != nil {
			line, r.last = r.chain.seal(r.last, line)
		}
		anew.Write(append(line, '\n'))
	}
	return replace(r.journal.path, anew.Bytes(), true)
}

// Import makes a run that has happened already, with the next name.
func (s Store) Import(m Meta, events []loop.Event) error {
	r, err := s.Create(m)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.rewrite(events); err != nil {
		return fmt.Errorf("import run %s: %w", r.meta.Name, err)
	}
	return nil
}
