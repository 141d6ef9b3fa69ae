package app

import (
	"slices"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// touched tells whether an agent may have written what lies in the work tree: one was
// at work in a run here, or a run cannot be read. What gates run there is its word
// then, be it ignored by git or long committed, and none of them leaves the sandbox.
func touched(runs journal.Store) bool {
	list, bad, err := runs.List()
	return err != nil || len(bad) > 0 || slices.ContainsFunc(list, hadAgent)
}

// hadAgent tells whether an agent was at work in a run, if only for a moment.
func hadAgent(e journal.Entry) bool {
	return e.Last != nil || e.Tampered != "" || e.Unchecked != "" || slices.ContainsFunc(e.Tail, func(e loop.Event) bool {
		_, started := e.Payload.(*loop.AgentStarted)
		return started
	})
}
