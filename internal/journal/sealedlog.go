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
	"github.com/refrain-loop/refrain/internal/seal"
)

// sealedLog is the journal of a run as it is written: line after line, each with
// its seal, and a head that says how far it has come. Nothing in it fails: what
// cannot be saved is noted as trouble.
//
// A journal that was cut at its end looks like one that a crash has left, so the
// runner also writes down how far the journal has come: a line in a file of its
// own, each time that the journal is on the disk. The head itself is not waited
// for. What a crash leaves of it is behind the journal, and never before it.
type sealedLog struct {
	chain    seal.Chain
	last     seal.Mark // the last line
	safe     seal.Mark // the last line in the file
	journal  logFile
	head     logFile
	headed   bool   // there is a head
	mended   []byte // what takes the place of a journal that is not believed; nil when it is
	restored func() // called when the journal was gone, and is there again
	trouble  *trouble
	full     *refusal
}

// bind lets the log seal what it writes from now on, after a place in it.
func (l *sealedLog) bind(c seal.Chain, at seal.Mark) {
	l.chain = c
	l.last, l.safe = at, at
}

// seal closes a line, and counts it.
func (l *sealedLog) seal(line []byte) (sealed []byte, its string) {
	l.last.Events++
	if !l.chain.Keyed() {
		return line, ""
	}
	sealed, l.last.Seal = l.chain.Seal(l.last.Seal, line)
	return sealed, l.last.Seal
}

// write takes a sealed line. It tells whether the file has it, with all before it.
func (l *sealedLog) write(e loop.Event, line []byte) bool {
	if l.mended != nil {
		l.keepMended(e, line)
		return false
	}
	return l.keep(line)
}

// keep writes a line to the file, and tells whether that has it, with all before it.
func (l *sealedLog) keep(line []byte) bool {
	if err := l.journal.append(line); err != nil {
		if len(l.journal.pending) == 0 {
			l.last = l.safe // what was pending will never be there
		}
		l.trouble.note(journalName, err)
		return false
	}
	l.safe = l.last
	if l.journal.restored {
		l.journal.restored = false
		l.restored()
		if l.headed {
			l.trouble.note(seal.HeadName, l.head.flush()) // it is put back, too
		}
	}
	if !l.journal.dropped {
		l.trouble.settle(journalName)
	}
	return true
}

// noteHead writes down how far the journal has come. It is on the disk up to there.
func (l *sealedLog) noteHead(at seal.Mark) {
	if !l.headed || !l.chain.Keyed() {
		return
	}
	if err := l.head.append(l.chain.HeadLine(at)); err != nil {
		l.trouble.note(seal.HeadName, err)
		return
	}
	l.trouble.settle(seal.HeadName)
}

// replace puts another journal in the place of this one.
func (l *sealedLog) replace(anew []byte) error {
	if err := replace(l.journal.path, anew, true); err != nil {
		return err
	}
	l.safe = l.last
	l.noteHead(l.safe)
	return nil
}

// A run whose records somebody else has written to only gets its end. What is
// believed of its journal and that end take the place of the journal in one
// piece, so that a crash leaves either what was found or what was made of it.
// Nothing else is written: a run.json that does not fit is not made to.

// mend makes a journal in memory of what is believed of the one in the file.
func (l *sealedLog) mend(c seal.Chain) (err error) {
	l.bind(c, c.Start())
	l.mended, err = l.sealAnew(c)
	return err
}

// sealAnew gives what is believed of the journal in the file under its seals, with
// those of this log.
func (l *sealedLog) sealAnew(under seal.Chain) ([]byte, error) {
	anew := []byte{}
	walk := under.Walk()
	err := lines(l.journal.path, func(_ int, text []byte) bool {
		believed := walk.Believes(text)
		_, whole, err := decodeLine(text)
		if err != nil || !believed {
			return true
		}
		body, its := seal.Unseal(text)
		if its == "" {
			body = bytes.TrimSuffix(body, []byte("}"))
		}
		if !whole { // it runs on from half a line
			body = body[max(0, bytes.LastIndex(body, []byte(seal.EventStart))):]
		}
		line, _ := l.seal(append(body[:len(body):len(body)], '}'))
		anew = append(append(anew, line...), '\n')
		return true
	})
	return anew, err
}

// keepMended takes a line for the mended journal. The end puts it in its place.
func (l *sealedLog) keepMended(e loop.Event, line []byte) {
	l.mended = append(append(l.mended, line...), '\n')
	if _, ok := e.Payload.(*loop.RunFinished); !ok {
		return
	}
	if err := l.full.unless(l.putMended); err != nil {
		l.trouble.note(journalName, err)
		return
	}
	l.mended, l.safe = nil, l.last
	l.trouble.settle(journalName)
	l.noteHead(l.safe)
}

func (l *sealedLog) putMended() error {
	if err := keepFound(l.journal.path); err != nil {
		return err
	}
	if err := replace(l.journal.path, l.mended, true); err != nil {
		return err
	}
	return l.journal.open()
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
