package term

import (
	"fmt"
	"io"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Plain writes one line per fact, with the local time of its event. Every line
// that says an iteration starts is followed by exactly one that says how it
// ended; when that ends the run too, the line on the run comes after it. What
// the agent itself says is in the transcript.
//
// The run holds the past of a resumed run, or nothing. From here on it belongs
// to the output, which keeps it up to date.
func Plain(w io.Writer, run *view.Run) Output {
	return &lines{w: w, narrator: view.NewNarrator(run)}
}

// Quiet writes only warnings, errors and the end, as Plain would.
func Quiet(w io.Writer, run *view.Run) Output {
	return &lines{w: w, narrator: view.NewNarrator(run), quiet: true}
}

type lines struct {
	w        io.Writer
	quiet    bool
	narrator *view.Narrator
	last     time.Time // of the last event
}

func (l *lines) Observe(e loop.Event) {
	l.last = e.Time
	l.write(l.narrator.Tell(e))
}

func (l *lines) Close() { l.write(l.narrator.Close()) }

func (l *lines) write(facts []view.Fact) {
	for _, f := range facts {
		if l.quiet && f.Kind != view.Warning && !f.Kind.Ends() {
			continue
		}
		// A reader that has gone away is no reason to stop the run.
		_, _ = fmt.Fprintf(l.w, "[%s] %s\n", l.last.Local().Format(time.TimeOnly), f.Text)
	}
}
