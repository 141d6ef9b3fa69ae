package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
)

// carriedName is a file in the folder of a run that has travelled.
const carriedName = "carried.json"

// Carried is where a run has travelled. It is this machine's own note, and no part of
// the run.
type Carried struct {
	Remote string    `json:"remote"` // as a person has named it
	Ref    string    `json:"ref"`
	Name   string    `json:"name"`             // of the run there
	At     string    `json:"at"`               // the value of the ref as we last put it there
	From   string    `json:"from,omitempty"`   // the one before
	Leg    int       `json:"leg"`              // how often it has changed hands
	Branch string    `json:"branch,omitempty"` // that was checked out then; empty: none was
	Tree   string    `json:"tree,omitempty"`   // the files of the work tree then
	Away   bool      `json:"away,omitempty"`   // somebody else may have it: it does not go on here
	There  bool      `json:"there,omitempty"`  // and it has certainly arrived
	Half   bool      `json:"half,omitempty"`   // a fetch was cut short before the work tree was there
	Since  time.Time `json:"since"`
}

// shown is the remote without a password, as people may see it.
func (c Carried) shown() string { return redact.Address(c.Remote) }

// Carried is where the run has travelled; nil when it never has.
func (e Entry) Carried() (*Carried, error) { return ReadCarried(e.Dir) }

// ReadCarried is the same by the folder of the run.
func ReadCarried(dir string) (*Carried, error) {
	b, err := readSmall(filepath.Join(dir, carriedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c Carried
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, carriedName), err)
	}
	return &c, nil
}

// Write keeps the note in the folder of a run.
func (c Carried) Write(dir string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(dir, carriedName), append(b, '\n'), true); err != nil {
		return fmt.Errorf("note where the run is: %w", err)
	}
	return nil
}

// DropCarried says that a run has never travelled.
func DropCarried(dir string) error {
	if err := files.Ignoring(os.Remove(filepath.Join(dir, carriedName)), fs.ErrNotExist); err != nil {
		return fmt.Errorf("note where the run is: %w", err)
	}
	return nil
}

// Branch is the branch that was made for the run; empty: none was.
func (p Past) Branch() string {
	first := p.First
	if first.Payload == nil && len(p.Tail) > 0 {
		first = p.Tail[0]
	}
	if started, ok := first.Payload.(*loop.RunStarted); ok {
		return started.Branch
	}
	return ""
}

// AwayError says that a run is not to go on here: it was carried away, or has not come
// whole.
type AwayError struct {
	Run string
	Carried
}

func (e *AwayError) Error() string {
	switch {
	case e.Half:
		return e.Run + " has not come whole: a fetch from " + e.shown() + " was cut short"
	case !e.There:
		return e.Run + " was on its way " + e.Where()
	}
	return e.Run + " was carried away " + e.Where()
}

// Where is where the run is, as far as anybody here knows.
func (e *AwayError) Where() string {
	since := e.Since.Local().Format(time.DateTime)
	switch {
	case e.Half:
		return "from " + e.shown() + " on " + since + ", and has not come whole"
	case !e.There:
		return "to " + e.shown() + " on " + since + ": the push was cut short, and may have arrived"
	}
	return "to " + e.shown() + " on " + since + ", and may be going on elsewhere"
}

// Back is the command that brings the run here.
func (e *AwayError) Back() string {
	return fmt.Sprintf("refrain carry fetch %s %s --trust", e.Name, e.shown())
}

// Hint says what to do.
func (e *AwayError) Hint() string {
	switch {
	case e.Half:
		return "fetch it again: " + e.Back()
	case !e.There:
		return fmt.Sprintf("push it again: refrain carry push %s %s; or keep it here: %s", e.Run, e.shown(), e.Back())
	}
	return fmt.Sprintf("take it back: %s; \"refrain carry ls %s\" says who has it", e.Back(), e.shown())
}

// Here is an *AwayError where the run is not to go on here.
func (e Entry) Here() error {
	c, err := e.Carried()
	if err != nil || c == nil || !c.Away && !c.Half {
		return err
	}
	return &AwayError{Run: e.Name, Carried: *c}
}
