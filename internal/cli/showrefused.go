package cli

import (
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/term"
)

// showRefused shows what the sandbox of a run has refused. The status keeps only the
// first of it, so the whole journal is read.
func showRefused(sh *shell, store journal.Store, entry journal.Entry, asJSON bool) error {
	list := []*loop.SandboxRefused{}
	for e, err := range store.Read(entry.Name, journal.Reading{Types: []loop.Type{"sandbox.refused"}}) {
		if err != nil {
			return err
		}
		// A runner that goes on may tell what the one before it has told.
		if p, ok := e.Payload.(*loop.SandboxRefused); ok && !slices.ContainsFunc(list, p.Same) {
			list = append(list, p)
		}
	}
	run := lookClosely(store, entry)
	if asJSON {
		return printJSON(sh.out, struct {
			Run     string                 `json:"run"`
			Sandbox *loop.Sandbox          `json:"sandbox,omitempty"`
			Refused []*loop.SandboxRefused `json:"sandbox_refused"`
		}{run.Name, run.Sum.Sandbox, list})
	}
	fmt.Fprint(sh.out, term.Refused(run, list, sh.look()))
	return nil
}
