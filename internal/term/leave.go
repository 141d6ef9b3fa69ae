package term

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Leave is the card that says whether a run can be left alone, or nothing when
// that cannot be said yet, or no more.
func Leave(run *view.Run, opt Options) string {
	l := run.Leave()
	if l == nil {
		return ""
	}
	colour := green
	if !l.Safe {
		colour = yellow
	}
	return opt.paint(bold, "Safe to leave: ") + opt.paint(colour, l.Verdict()) + "\n" + layout(grounds(l), opt)
}

// leave is the same as lines.
func leave(l *view.Leave) []fact {
	if l == nil {
		return nil
	}
	facts := one(leaving, "Safe to leave: %s", l.Verdict())
	for _, r := range grounds(l) {
		if r.text != "" {
			facts = append(facts, fact{leaving, fmt.Sprintf("  %-*s%s", labelWidth-2, r.label, text.Line(r.text))})
		}
	}
	return facts
}

// grounds are what the answer rests on; what speaks against it comes first.
func grounds(l *view.Leave) []row {
	return append(several("why not", l.Missing),
		row{"agent", l.Did},
		row{"denied", view.Names(l.Denied, fewNames)},
		row{"still red", view.Names(l.Red, fewNames)},
		row{"proof", l.Proof},
		row{"billed to", l.Billed},
		row{"pace", l.Pace},
		row{"ends", l.Ends},
	)
}
