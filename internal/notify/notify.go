// Package notify sends messages to people who are not looking.
//
// A Sender watches a run and says what is worth being called for: its end, a
// long wait, a budget that is nearly used up, and what only a person can
// settle. It never holds the run up: messages wait in short queues, each channel
// has its own, and a channel that fails is told of once and tried again with the
// next message. Rates and quiet hours keep it from becoming a nuisance; the end
// of a run is never held back.
//
// No address is ever shown in full: the path of a webhook is its password.
package notify

import (
	"context"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Kind is what a message is about.
type Kind string

// The kinds. Those of an end are the states in which a run can end.
const (
	Done      = Kind(loop.Done)
	Exhausted = Kind(loop.Exhausted)
	Aborted   = Kind(loop.Aborted)
	Stopped   = Kind(loop.Stopped)
	Failed    = Kind(loop.CouldNotRun)

	Waiting Kind = "waiting" // for long
	Person  Kind = "person"  // only a person can settle it
	Budget  Kind = "budget"  // nearly used up

	Test Kind = "test" // asked for by a person, to see that it arrives
)

// Kinds lists what a user can choose from.
func Kinds() []Kind {
	return []Kind{Done, Exhausted, Aborted, Stopped, Failed, Waiting, Person, Budget}
}

// Message is one message. Its JSON names are a promise to scripts; what is not
// known is left out.
type Message struct {
	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	Text  string `json:"text"`

	Urgent bool `json:"urgent"`           // a person is needed
	Silent bool `json:"silent,omitempty"` // make no sound: these are quiet hours

	Run           string      `json:"run,omitempty"`
	RunID         string      `json:"run_id,omitempty"`
	Procedure     string      `json:"procedure,omitempty"`
	State         loop.Status `json:"state,omitempty"`
	Reason        loop.Reason `json:"reason,omitempty"`
	Why           string      `json:"why,omitempty"`
	Proven        bool        `json:"proven"`              // the level is proven
	Level         loop.Level  `json:"level,omitempty"`     // of a run that is done: what stands behind that
	LevelWhy      string      `json:"level_why,omitempty"` // what the level rests on, or what a higher one lacks
	Iterations    int         `json:"iterations"`
	Plan          *loop.Tally `json:"plan,omitempty"` // how far the plan has come
	CostUSD       float64     `json:"cost_usd,omitempty"`
	CostEstimated bool        `json:"cost_estimated,omitempty"`
	Elapsed       loop.Millis `json:"elapsed_ms,omitempty"`
	Dir           string      `json:"dir,omitempty"`
	Sandbox       string      `json:"sandbox,omitempty"` // what confines it, in a phrase
	At            time.Time   `json:"at"`
}

// Notifier is a channel to a person. It is called from more than one goroutine,
// and returns soon after ctx is done.
type Notifier interface {
	Notify(ctx context.Context, m Message) error
}

// How long a message may be. It is read on a phone, and no server takes less.
const (
	maxTitle = 200
	maxWhy   = 600
	maxText  = 2000
)

// cleanText makes text that an agent or a server may have written safe to show,
// and bounded. Lines stay lines.
func cleanText(s string) string { return text.Shorten(strings.TrimSpace(text.Clean(s)), maxText) }

// cleanLine is cleanText on one line.
func cleanLine(s string) string { return text.Fold(cleanText(s)) }
