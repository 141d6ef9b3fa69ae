package term

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// refusedOutside counts what the sandbox has refused, and says where to see it.
func refusedOutside(run *view.Run) string {
	said := view.SandboxRefused(run.Sum.Totals.FencedOff)
	if said == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s --refused)", said, text.Line(run.Typed("show")))
}

// Refused lists what the sandbox of a run has refused, each with the setting that
// would allow it.
func Refused(run *view.Run, list []*loop.SandboxRefused, opt Options) string {
	switch sandbox := run.Sandbox(); {
	case len(list) > 0:
	case sandbox == "":
		return fmt.Sprintf("Nothing was refused: %s has no sandbox.\n", text.Line(run.Name))
	default:
		return fmt.Sprintf("Nothing was refused (sandbox: %s).\n", sandbox)
	}
	table := Table{Columns: []Column{{Wraps: true}, {Wraps: true}}}
	for _, p := range list {
		table.Add(view.RefusedOutside(p), view.Allow(p))
	}
	return table.String(opt)
}
