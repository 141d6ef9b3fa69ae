package report

import (
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// mostWarnings is how many different ones are listed; the rest is counted.
const mostWarnings = 50

// warning is something a person should know, however often it was said.
type warning struct {
	text, hint string
	times      int
}

type warnings struct {
	list []warning
	more int
}

func (w *warnings) add(p *loop.Warning) {
	said := warning{view.Fit(p.Text, mostText), view.Fit(p.Hint, mostText), 1}
	i := slices.IndexFunc(w.list, func(o warning) bool { return o.text == said.text && o.hint == said.hint })
	switch {
	case i >= 0:
		w.list[i].times++
	case len(w.list) == mostWarnings:
		w.more++
	default:
		w.list = append(w.list, said)
	}
}
