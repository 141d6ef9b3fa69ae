package term

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Later lists what in the tree runs by itself and has changed since the run began.
func Later(run *view.Run, opt Options) string {
	later := run.Sum.Later
	if len(later.RunsLater) == 0 {
		return "No file that runs by itself was seen to change.\n"
	}
	var b strings.Builder
	table := Table{Columns: []Column{{Wraps: true}, {Wraps: true}}}
	for _, file := range later.RunsLater {
		table.Add(view.LaterFile(file), view.LaterWhy(file))
	}
	b.WriteString(table.String(opt))
	if more := later.RunsLaterMore; more > 0 {
		fmt.Fprintf(&b, "and %s that are not listed\n", text.Plural(more, "more file"))
	}
	return b.String()
}
