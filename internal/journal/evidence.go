package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	gatesName    = "gates"
	changesName  = "changes.json"
	feedbackName = "feedback.json"
	guardedName  = "guarded.json"
	knownName    = "known.json"
	planName     = "plan.json"
)

// GateFile takes what there is to keep of a gate, and says which file that is, of a
// kind such as .log: gates/NAME.log, and gates/NAME.clean.log in the clean checkout. A
// gate that runs again in the same attempt adds to it. Writing never fails.
func (a *Attempt) GateFile(gate string, where loop.Place, kind string) (file io.WriteCloser, name string) {
	if err := a.run.full.unless(func() error { return os.MkdirAll(filepath.Join(a.dir, gatesName), 0o700) }); err != nil {
		a.run.trouble.note(gatesName, err)
		a.run.trouble.tell()
	}
	if where == loop.InClean {
		gate += ".clean"
	}
	name = gatesName + "/" + gate + kind
	return &gateFile{transcript{path: filepath.Join(a.dir, name), trouble: &a.run.trouble, full: &a.run.full, hide: a.run.hide}}, name
}

type gateFile struct{ transcript }

func (g *gateFile) Close() error {
	g.close()
	return nil
}

// AttemptChanges is what an attempt did to the work tree: the checkpoints before and
// after it, and everything that changed between them.
type AttemptChanges struct {
	Base       string       `json:"base"`
	Checkpoint string       `json:"checkpoint"`
	Changes    loop.Changes `json:"changes"`
}

// WriteChanges saves what an attempt did to the work tree. One that left it as it found
// it need not: see ChangesOf.
func (a *Attempt) WriteChanges(m AttemptChanges) { a.writeJSON(changesName, m) }

// WriteFeedback saves what the next agent should know of the gates.
func (a *Attempt) WriteFeedback(texts []string) {
	if len(texts) > 0 {
		a.writeJSON(feedbackName, texts)
	}
}

// ReadFeedback is what WriteFeedback saved; nothing when it saved nothing.
func (a *Attempt) ReadFeedback() []string { return ReadFeedback(a.dir) }

// ReadFeedback is the same for a reader, by the folder of the attempt.
func ReadFeedback(dir string) []string {
	var texts []string
	readJSON(dir, feedbackName, &texts)
	return texts
}

// WritePlan saves the tasks that the agent found.
func (a *Attempt) WritePlan(tasks any) { a.writeJSON(planName, tasks) }

// ReadPlan reads what WritePlan saved, and tells whether it did.
func (a *Attempt) ReadPlan(tasks any) bool { return readJSON(a.dir, planName, tasks) }

// WriteGuarded saves what guarded files held before the first iteration.
func (a *Attempt) WriteGuarded(files any) { a.writeSealed(guardedName, files) }

// ReadGuarded reads what WriteGuarded saved, and tells whether it did.
func (a *Attempt) ReadGuarded(files any) bool { return a.readSealed(guardedName, files) }

// WriteKnown saves what is known of gates and tests beside the state.
func (a *Attempt) WriteKnown(known any) { a.writeSealed(knownName, known) }

// ReadKnown reads what WriteKnown saved, and tells whether it did.
func (a *Attempt) ReadKnown(known any) bool { return a.readSealed(knownName, known) }

func (a *Attempt) readSealed(name string, v any) bool {
	a.run.mu.Lock()
	defer a.run.mu.Unlock()
	return a.run.getBeside(name, v)
}

// writeSealed saves an object that a resume goes by: in one piece, on the disk
// and sealed.
func (a *Attempt) writeSealed(name string, v any) {
	defer a.run.trouble.tell()
	b, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		a.run.mu.Lock()
		defer a.run.mu.Unlock()
		err = a.run.putBeside(name, b)
	}
	a.run.trouble.note(name, err)
}

// readOf reads a file of an attempt, unless a link leads out of the folder of all runs.
func readOf(dir, name string) ([]byte, error) {
	root, name := files.Above(filepath.Join(dir, name), 4)
	return files.Read(context.Background(), root, name, maxSmall)
}

// readJSON reads a file that is there in whole: half of one, after a crash,
// tells nothing.
func readJSON(dir, name string, v any) bool {
	b, err := readOf(dir, name)
	return err == nil && json.Unmarshal(b, v) == nil
}

func (a *Attempt) writeJSON(name string, v any) {
	defer a.run.trouble.tell()
	b, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		a.run.mu.Lock()
		defer a.run.mu.Unlock()
		err = a.run.full.unless(func() error { return replace(filepath.Join(a.dir, name), append(b, '\n'), false) })
	}
	a.run.trouble.note(name, err)
}

// ReadChanges is what WriteChanges saved in the folder of an attempt.
func ReadChanges(dir string) (AttemptChanges, error) {
	var m AttemptChanges
	b, err := readOf(dir, changesName)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("read %s: %w", filepath.Join(dir, changesName), err)
	}
	return m, nil
}

// ChangesOf is ReadChanges for an attempt with an outcome, which tells when nothing
// changed, and so nothing was saved.
func ChangesOf(dir string, o loop.Outcome) (AttemptChanges, error) {
	m, err := ReadChanges(dir)
	if errors.Is(err, fs.ErrNotExist) && o.Checkpoint != "" && o.Changes != nil && o.Changes.None() {
		return AttemptChanges{Base: o.Checkpoint, Checkpoint: o.Checkpoint, Changes: *o.Changes}, nil
	}
	return m, err
}
