package app

import (
	"encoding/json"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// stateFile keeps state.json up to date for scripts. Nothing reads it back.
type stateFile struct {
	run *view.Run
	out *journal.Run
}

// Observe writes the file anew when the event is one that the journal keeps;
// the agent's chatter changes nothing that a script would look for.
func (f *stateFile) Observe(e loop.Event) {
	f.run.Apply(e)
	if !e.Type().Kept() {
		return
	}
	if b, err := json.MarshalIndent(f.run.Status(e.Time), "", "  "); err == nil {
		f.out.WriteState(append(b, '\n'))
	}
}
