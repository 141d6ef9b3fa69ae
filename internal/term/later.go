package term

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Later lists what in the tree runs by itself and has changed since the run began.
func Later(run *view.Run) string {
	later := run.Sum.Later
	if len(later.RunsLater) == 0 {
		return "No file that runs by itself was seen to change.\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, file := range later.RunsLater {
		_, _ = fmt.Fprintf(w, "%s\t%s\n", view.LaterFile(file), view.LaterWhy(file))
	}
	_ = w.Flush() // a builder takes everything
	if more := later.RunsLaterMore; more > 0 {
		fmt.Fprintf(&b, "and %s that are not listed\n", text.Plural(more, "more file"))
	}
	return b.String()
}
