// Package detect reads what an agent did and fills in the outcome: how it
// ended, what it claims, what it says of its work.
//
// A detector is given every event of one attempt in order and reports once, at
// the end. It never looks at a clock, a file or a process, and its memory does
// not grow with what the agent prints. What agents print, and how, is known to
// package agent; what an outcome leads to is for the rules to say.
package detect

import "github.com/refrain-loop/refrain/internal/loop"

// Detector watches one attempt.
type Detector interface {
	// Observe is given each agent event of the attempt, in order.
	Observe(e loop.Event)
	// Report fills the detector's own fields of the outcome when the agent is
	// gone, and gives the events to record. Ending reports first: the others
	// read how the attempt ended.
	Report(o *loop.Outcome) []loop.Payload
}
