package app

import (
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/view"
)

// What the public package has to name although it knows only app.
type (
	Flag   = config.Flag
	Status = view.Status
	Stats  = view.Stats

	SettingsError = config.Errors
	HeldError     = journal.HeldError
	NotFoundError = journal.NotFoundError
	CorruptError  = journal.CorruptError
	NewerError    = journal.NewerError
	GoneError     = journal.GoneError
)

// EncodeEvent writes an event as the journal does.
func EncodeEvent(e loop.Event) ([]byte, error) { return journal.Encode(e) }

// DecodeEvent reads a line of a journal.
func DecodeEvent(line []byte) (loop.Event, error) { return journal.Decode(line) }

// HelperCalled tells whether this program can run its helpers. Without them no
// run can keep its processes.
func HelperCalled() bool {
	_, err := proc.HelperCommand("rehearsal")
	return err == nil
}
