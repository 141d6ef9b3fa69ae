package control

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Beside the run's own events a stream has two of its own, which have no number.
const (
	// resyncEvent says that events were left out, because the client was too slow.
	resyncEvent = "resync"
	// errorEvent says why the stream ends early.
	errorEvent = "error"
)

// heartbeatFrame is a comment: it shows both sides that the other is still there.
const heartbeatFrame = ":\n\n"

// resync is the content of a resync event.
type resync struct {
	After int64 `json:"after"` // the last event that the client got
	Next  int64 `json:"next"`  // the first that it will get, or a later one
}

// streamError is the content of an error event.
type streamError struct {
	Why string `json:"why"`
}

// appendEvent appends an event as a client gets it. One that cannot be encoded
// is not in the journal either, and is left out.
func appendEvent(b []byte, e loop.Event) []byte {
	line, err := journal.Encode(e)
	if err != nil {
		return b
	}
	b = strconv.AppendInt(append(b, "id: "...), e.Seq, 10)
	if name := string(e.Type()); !strings.ContainsAny(name, "\r\n") { // a name from a file may be anything
		b = append(append(b, "\nevent: "...), name...)
	}
	b = append(append(b, "\ndata: "...), line...)
	return append(b, "\n\n"...)
}

// appendOwn appends an event of the stream's own.
func appendOwn(b []byte, name string, content any) []byte {
	data, _ := json.Marshal(content) // our own types always marshal
	b = append(append(b, "event: "...), name...)
	b = append(append(b, "\ndata: "...), data...)
	return append(b, "\n\n"...)
}
