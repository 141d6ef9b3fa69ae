package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	journalName = "journal.jsonl"
	stateName   = "state.json"
)

// Run writes a run. It is safe for concurrent use, and nothing in it fails:
// what cannot be saved is noted as trouble, and the run goes on.
type Run struct {
	meta    Meta
	dir     string
	trouble trouble
	full    refusal

	mu       sync.Mutex
	seq      int64
	chain    chain
	last     Mark // the last line
	safe     Mark // the last line in the file
	journal  logFile
	head     logFile
	mended   []byte             // what takes the place of a journal that is not believed; nil when it is
	beside   map[string]*beside // the files beside the journal, by their names
	holdKey  func(patience time.Duration) (back bool, err error)
	keyBack  bool                    // the key was put back
	attempts map[attemptKey]*Attempt // the open ones
	newest   int                     // the highest iteration with a folder
	oldest   int                     // the lowest that may have a transcript
}

// Meta is what run.json says.
func (r *Run) Meta() Meta {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.meta
}

// Restate changes what run.json says of how the run was asked for: a limit that
// was raised once must not be forgotten by the next resume.
func (r *Run) Restate(flags, config json.RawMessage) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.meta.Flags, r.meta.Config = flags, config
	if r.meta.Head != nil && r.journal.f != nil && r.journal.f.Sync() == nil {
		at := r.safe // all of it is on the disk
		r.meta.Head = &at
	}
	if err := r.writeMeta(); err != nil {
		return fmt.Errorf("write %s of %s: %w", metaName, r.meta.Name, err)
	}
	return nil
}

// Dir is the folder of the run.
func (r *Run) Dir() string { return r.dir }

// Append gives the event its number and its run and writes it: to the journal,
// or to the attempt's own file when it does not decide anything.
func (r *Run) Append(e loop.Event) loop.Event {
	events := []loop.Event{e}
	r.AppendAll(events)
	return events[0]
}

// AppendAll appends events that came together, and numbers them in place. Those
// in a row that go to the attempt's own file are written in one piece.
func (r *Run) AppendAll(events []loop.Event) {
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range events {
		e := &events[i]
		r.seq++
		e.Seq, e.Run, e.Seal = r.seq, r.meta.ID, ""
		e.Time = e.Time.UTC().Truncate(time.Millisecond)
		line, err := Encode(*e)
		if err != nil {
			r.trouble.note("event "+string(e.Type()), err)
			continue
		}
		if e.Type().Kept() {
			r.last.Events++
			if r.chain.mac != nil {
				line, e.Seal = r.chain.seal(r.last.Seal, line)
				r.last.Seal = e.Seal
			}
			r.decide(*e, line)
			continue
		}
		log := &r.attempt(e.Iter, e.Attempt).events
		log.add(line)
		if i+1 == len(events) || events[i+1].Type().Kept() {
			r.trouble.note(eventsName, log.flush())
		}
	}
}

// decide writes an event that decides something to the journal.
func (r *Run) decide(e loop.Event, line []byte) {
	if _, ok := e.Payload.(*loop.AgentExited); ok {
		r.syncTranscript(e.Iter, e.Attempt)
	}
	if r.mended != nil {
		r.keepMended(e, line)
		return
	}
	if !r.keep(line, synced(e)) {
		return
	}
	r.noteHead()
	if _, ok := e.Payload.(*loop.IterationStarted); ok {
		r.noteAgent()
	}
}

// syncTranscript puts what the agent printed on the disk before its end is:
// whoever finds agent.exited takes the transcript to be complete.
func (r *Run) syncTranscript(iter, n int) {
	if a, ok := r.attempts[attemptKey{iter, n}]; ok {
		a.stdout.sync()
		a.stderr.sync()
	}
}

// keep writes a line to the journal, and tells whether it is on the disk with
// all before it.
func (r *Run) keep(line []byte, durable bool) bool {
	if err := r.journal.append(line); err != nil {
		if len(r.journal.pending) == 0 {
			r.last = r.safe // what was pending will never be there
		}
		r.trouble.note(journalName, err)
		return false
	}
	r.safe = r.last
	if r.journal.restored {
		r.journal.restored = false
		r.trouble.note(metaName, r.writeMeta())
		if r.meta.Head != nil {
			r.trouble.note(headName, r.head.flush()) // it is put back, too
		}
	}
	if !r.journal.dropped {
		r.trouble.settle(journalName)
	}
	if !durable {
		return false
	}
	err := r.journal.f.Sync()
	r.trouble.note("sync of "+journalName, err)
	return err == nil
}

// synced tells which events must be on the disk before anything follows them:
// those that a resume begins from.
func synced(e loop.Event) bool {
	switch e.Payload.(type) {
	case *loop.RunStarted, *loop.RunResumed, *loop.RunFinished,
		*loop.IterationStarted, *loop.IterationFinished, *loop.AgentExited:
		return true
	}
	return false
}

// WriteState replaces state.json, which is there for scripts and never read back.
func (r *Run) WriteState(b []byte) {
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.full.unless(func() error { return replace(filepath.Join(r.dir, stateName), b, false) }); err != nil {
		r.trouble.note(stateName, err)
		return
	}
	r.trouble.settle(stateName)
}

// Trouble lists what is not saved, one line for each file and cause.
func (r *Run) Trouble() []string { return r.trouble.list() }

// OnTrouble sets who hears of each new kind of trouble, once. The listener may
// call the run.
func (r *Run) OnTrouble(listen func(what string)) {
	defer r.trouble.tell()
	r.trouble.mu.Lock()
	defer r.trouble.mu.Unlock()
	r.trouble.listen = listen
}

// DropTranscripts removes what the agents printed in all but the last keep
// iterations. The journal and the prompts stay. Keep 0 drops nothing.
func (r *Run) DropTranscripts(keep int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if keep < 1 {
		return nil
	}
	for ; r.oldest <= r.newest-keep; r.oldest++ {
		if err := dropTranscripts(r.dir, r.oldest); err != nil {
			return fmt.Errorf("drop transcripts of iteration %d: %w", r.oldest, err)
		}
	}
	return nil
}

func dropTranscripts(dir string, iter int) error {
	for n := 1; ; n++ {
		attempt := attemptDir(dir, iter, n)
		if _, err := os.Stat(attempt); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		for _, name := range []string{stdoutName, stderrName, eventsName} {
			if err := os.Remove(filepath.Join(attempt, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
}

// Close closes the files of the run. Nothing may be appended after it.
func (r *Run) Close() error {
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.attempts {
		a.close()
	}
	clear(r.attempts)
	if err := errors.Join(r.journal.close(), r.head.close()); err != nil {
		return fmt.Errorf("close %s: %w", r.meta.Name, err)
	}
	return nil
}
