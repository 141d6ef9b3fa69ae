package term

import (
	"io"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// JSON writes every event on a line of its own, in the journal's format. The
// agent's text is among them.
func JSON(w io.Writer) Output { return events{w} }

type events struct{ w io.Writer }

func (o events) Observe(e loop.Event) {
	line, err := journal.Encode(e)
	if err != nil {
		return // the journal could not write it either, and has warned of that
	}
	_, _ = o.w.Write(append(line, '\n'))
}

func (events) Close() {}
