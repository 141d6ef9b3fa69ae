package report

import (
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// maxOutside is how many things that a sandbox refused are listed; the rest is counted.
const maxOutside = 200

// outside is what the sandbox refused, each once.
type outside struct {
	list []*loop.SandboxRefused
	more int
}

func (o *outside) add(p *loop.SandboxRefused) {
	switch {
	case slices.ContainsFunc(o.list, p.Same):
	case len(o.list) == maxOutside:
		o.more++
	default:
		o.list = append(o.list, p)
	}
}

type refusedOutside struct{ Says, Allow string }

// rows are the list, and how many there are more.
func (o *outside) rows() ([]refusedOutside, string) {
	var rows []refusedOutside
	for _, p := range o.list {
		rows = append(rows, refusedOutside{view.Fit(view.RefusedOutside(p), maxText), view.Fit(view.Allow(p), maxText)})
	}
	return rows, more(o.more, "refusal")
}
