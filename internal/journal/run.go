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
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/seal"
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
	hide    *redact.Redactor // in transcripts; nil: they are kept as they come

	mu       sync.Mutex
	seq      int64
	log      sealedLog
	syncs    syncs
	beside   map[string]*beside // the files beside the journal, by their names
	keys     Keys
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

// HideInTranscripts keeps what is secret out of transcripts from here on.
func (r *Run) HideInTranscripts(hide *redact.Redactor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hide = hide
}

// Restate changes what run.json says of how the run was asked for: a limit that
// was raised once must not be forgotten by the next resume.
func (r *Run) Restate(flags, config json.RawMessage) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.meta.Flags, r.meta.Config = flags, config
	if r.meta.Head != nil && r.log.journal.f != nil && r.sync() {
		at := r.log.safe // all of it is on the disk
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
		if e.Type().Kept() {
			line, err := Encode(*e)
			if err != nil {
				r.trouble.note("event "+string(e.Type()), err)
				continue
			}
			line, e.Seal = r.log.seal(line)
			r.decide(*e, line)
			continue
		}
		log := &r.attempt(e.Iter, e.Attempt).events
		if err := log.encode(*e); err != nil {
			r.trouble.note("event "+string(e.Type()), err)
		}
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
	if !r.log.write(e, line) {
		return
	}
	_, first := e.Payload.(*loop.IterationStarted)
	first = first && r.unnoted()
	switch when := durable(e); {
	case when == atOnce || first:
		if r.sync() && first {
			r.noteAgent()
		}
	case when == meanwhile:
		r.startSync()
	case when == withNext:
		r.syncs.due = true
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

// unnoted tells whether run.json has yet to say how far the journal is.
func (r *Run) unnoted() bool {
	return r.meta.Head != nil && r.log.chain.Keyed() && r.meta.Head.Events == 0
}

// noteAgent has run.json say how far the journal is, before the first agent that
// could write to both is started, which no agent has seen otherwise.
func (r *Run) noteAgent() {
	at := r.log.safe
	r.meta.Head = &at
	if err := r.writeMeta(); err != nil {
		r.meta.Head = &seal.Mark{} // the next one tries again
		r.trouble.note(metaName, err)
		return
	}
	r.trouble.settle(metaName)
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

func (t *trouble) list() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, g := range t.gaps {
		if !g.saved {
			list = append(list, g.what)
		}
	}
	return list
}

// OnTrouble sets who hears of each new kind of trouble, once. The listener may
// call the run.
func (r *Run) OnTrouble(listen func(what string)) {
	defer r.trouble.tell()
	r.trouble.mu.Lock()
	defer r.trouble.mu.Unlock()
	r.trouble.listen = listen
}

// Intact is a *TamperedError when somebody else was seen to write to the journal.
// It costs nothing, and Verify finds more.
func (r *Run) Intact() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log.journal.meddled == "" {
		return nil
	}
	return &TamperedError{What: journalName + ": " + r.log.journal.meddled + " while the run was live"}
}

// Verify is a *TamperedError when the journal is not what this run has written. A
// journal that cannot be read is trouble, and no tampering.
func (r *Run) Verify() error {
	if err := r.Intact(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.log.chain.Keyed() || r.log.mended != nil {
		return nil
	}
	found, err := records{r.dir, r.meta, r.log.chain}.survey("")
	if err != nil || found.misfit == "" {
		return nil
	}
	return &TamperedError{What: found.misfit}
}

// Refuse makes everything that the run is to save fail with err from now on, as
// on a disk that is full; nil lets it save again. A rehearsal finds out with it
// what comes of a night in which that happens.
func (r *Run) Refuse(err error) {
	r.full.mu.Lock()
	defer r.full.mu.Unlock()
	r.full.err = err
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
	r.Settle()
	r.syncs.going.Wait()
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.attempts {
		a.close()
	}
	clear(r.attempts)
	if err := errors.Join(r.log.journal.close(), r.log.head.close()); err != nil {
		return fmt.Errorf("close %s: %w", r.meta.Name, err)
	}
	return nil
}
