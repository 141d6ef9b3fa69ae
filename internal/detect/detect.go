// Package detect reads what an agent did and fills in the outcome: how it
// ended, what it claims, what it says of its work, which tests it ran.
//
// A detector is given every event of one attempt in order and reports once, at
// the end. It never looks at a clock, a file or a process, and its memory does
// not grow with what the agent prints. What agents print, and how, is known to
// package agent; what an outcome leads to is for the rules to say.
package detect

import "github.com/refrain-loop/refrain/internal/loop"

// Detector watches one attempt. Package app has the list.
type Detector interface {
	// Hear is given each event of the agent's, in order, and gives events of its
	// own.
	Hear(loop.Payload) []loop.Payload
	// Report fills the detector's own fields of the outcome when the agent is
	// gone, and gives the events to record. Ending reports first: the others
	// read how the attempt ended.
	Report(*loop.Outcome) []loop.Payload
}
