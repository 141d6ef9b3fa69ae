package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// A run whose records somebody else has written to only gets its end. What is
// believed of its journal and that end take the place of the journal in one
// piece, so that a crash leaves either what was found or what was made of it.
// Nothing else is written: a run.json that does not fit is not made to.

// mend makes a journal in memory of what is believed of the one in the file.
func (r *Run) mend(c chain) (err error) {
	r.bind(c, c.start())
	r.mended, err = r.sealAnew(c)
	return err
}

// sealAnew gives what is believed of the journal in the file under its seals, with
// those of this run.
func (r *Run) sealAnew(under chain) ([]byte, error) {
	anew := []byte{}
	walk := under.walk()
	err := lines(r.journal.path, func(_ int, text []byte) bool {
		believed := walk.believes(text)
		_, whole, err := decodeLine(text)
		if err != nil || !believed {
			return true
		}
		body, seal := unseal(text)
		if seal == "" {
			body = bytes.TrimSuffix(body, []byte("}"))
		}
		if !whole { // it runs on from half a line
			body = body[max(0, bytes.LastIndex(body, eventStart)):]
		}
		anew = append(anew, r.closed(body)...)
		return true
	})
	return anew, err
}

// closed ends the body of a line, with its seal, and counts it.
func (r *Run) closed(body []byte) []byte {
	r.last.Events++
	if r.chain.mac == nil {
		return append(body[:len(body):len(body)], "}\n"...)
	}
	r.last.Seal = r.chain.sum(r.last.Seal, body)
	return append(appendSeal(body[:len(body):len(body)], r.last.Seal), '\n')
}

// keepMended takes a line for the mended journal. The end puts it in its place.
func (r *Run) keepMended(e loop.Event, line []byte) {
	r.mended = append(append(r.mended, line...), '\n')
	if _, ok := e.Payload.(*loop.RunFinished); !ok {
		return
	}
	if err := r.full.unless(r.putMended); err != nil {
		r.trouble.note(journalName, err)
		return
	}
	r.mended, r.safe = nil, r.last
	r.trouble.settle(journalName)
	r.noteHead()
}

func (r *Run) putMended() error {
	if err := keepFound(r.journal.path); err != nil {
		return err
	}
	if err := replace(r.journal.path, r.mended, true); err != nil {
		return err
	}
	return r.journal.open()
}

// foundName is a journal as it was found, the first, the second and so on.
const foundName = "journal.tampered-%d.jsonl"

// keepFound gives the journal a second name, by which it stays.
func keepFound(path string) error {
	now, err := os.Stat(path)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		kept := filepath.Join(filepath.Dir(path), fmt.Sprintf(foundName, n))
		before, err := os.Lstat(kept)
		switch {
		case err == nil && os.SameFile(before, now):
			return nil // a runner died before it could go on
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if os.Link(path, kept) == nil {
			return nil
		}
		b, err := readSmall(path) // where there are no second names
		if err != nil {
			return err
		}
		return files.Replace(kept, b, 0o600, files.NoSync)
	}
}

// rewrite makes a journal of events, in one piece.
func (r *Run) rewrite(events []loop.Event) error {
	var anew []byte
	for _, e := range events {
		e.Seal = ""
		line, err := Encode(e)
		if err != nil {
			return err
		}
		anew = append(anew, r.closed(bytes.TrimSuffix(line, []byte("}")))...)
	}
	return r.replaceJournal(anew)
}

// replaceJournal puts another journal in the place of this one.
func (r *Run) replaceJournal(anew []byte) error {
	if err := replace(r.journal.path, anew, true); err != nil {
		return err
	}
	r.safe = r.last
	r.noteHead()
	return nil
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
