package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Line is one event as it stands in its file.
type Line = journal.Line

// Ledger is what is remembered of one run. It is safe for concurrent use.
type Ledger struct {
	store journal.Store
	name  string
	path  string
	chain seal.Chain

	mu     sync.Mutex
	walk   *seal.Walk
	at     int64       // how far the journal was read
	file   os.FileInfo // that was read
	seq    int64       // of the last event that was
	places []place     // of the ends of attempts
	begun  time.Time   // of the attempt under way
	book   Book
}

// place is where a line of the journal ends.
type place struct{ seq, end int64 }

// Open gives the ledger of a run. Nothing is read yet.
func Open(store journal.Store, run string) *Ledger {
	l := &Ledger{store: store, name: run}
	l.path, l.chain = store.Sealed(run)
	l.walk = l.chain.Walk()
	return l
}

// Read takes in what is new in the journal, and lets somebody look at the book, who
// keeps nothing of it.
func (l *Ledger) Read(look func(*Book)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.readOn()
	if err == nil {
		look(&l.book)
	}
	return err
}

func (l *Ledger) readOn() error {
	f, err := files.OpenBelow(files.Above(l.path, 2))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if l.file != nil && (!os.SameFile(l.file, info) || info.Size() < l.at) {
		l.forget() // somebody has put another in its place
	}
	l.file = info
	if info.Size() == l.at {
		return nil
	}
	end, err := seal.GoodEnd(f, info.Size())
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(io.NewSectionReader(f, l.at, end-l.at), 256<<10)
	for l.at < end {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // it is on its way
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", l.path, err)
		}
		l.at += int64(len(text))
		text = bytes.TrimSuffix(text, []byte("\n"))
		if l.walk.Believes(text) {
			l.take(text)
		}
	}
	return nil
}

func (l *Ledger) forget() {
	l.walk, l.at, l.seq, l.places, l.begun, l.book = l.chain.Walk(), 0, 0, nil, time.Time{}, Book{}
}

// take enters one line.
func (l *Ledger) take(raw []byte) {
	line, ok := journal.ParseLine(raw)
	if !ok {
		return
	}
	l.seq = max(l.seq, line.Seq)
	at, err := line.Time()
	if err != nil {
		return
	}
	switch line.Type {
	case "iteration.started":
		l.begun = at
	case "iteration.finished":
		l.places = append(l.places, place{line.Seq, l.at})
		e, _ := line.Brief() // what cannot be read is none
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			l.book.finish(e, l.begun, f, l.chain.Lost || l.chain.Unsealed)
		}
	case "iteration.phase", "agent.started", "agent.exited", "gate.started", "hook.finished", "plan.read", "run.baseline", "sandbox.refused", "test.explained":
	default:
		if e, err := line.Brief(); err == nil {
			l.book.note(e)
		}
	}
}
