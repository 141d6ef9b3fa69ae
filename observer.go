package refrain

import "github.com/refrain-loop/refrain/internal/app"

// Observer hears of every event of a run, one at a time and in order, each after
// it was written to the journal. The run waits for it, so it should be quick;
// who has more to do follows the run with Control.Subscribe. An event and what
// it holds must not be changed.
type Observer interface{ Observe(Event) }

// ObserverFunc is a function that observes.
type ObserverFunc func(Event)

// Observe calls the function.
func (f ObserverFunc) Observe(e Event) { f(e) }

// EncodeEvent writes an event as one line of JSON, as the journal does. Its names
// are a promise to scripts; docs/journal.md lists them.
func EncodeEvent(e Event) ([]byte, error) { return app.EncodeEvent(e) }

// DecodeEvent reads one line of a journal, or of what EncodeEvent wrote. Fields and
// types of later versions are skipped: such an event has a Payload that no type of
// this package matches, and its Type.
func DecodeEvent(line []byte) (Event, error) { return app.DecodeEvent(line) }
