package term

import (
	"github.com/refrain-loop/refrain/internal/view"
)

// Leave is the card that says whether a run can be left alone, or nothing when
// that cannot be said yet, or no more.
func Leave(run *view.Run, opt Options) string {
	l := run.Leave()
	if l == nil {
		return ""
	}
	var list []row
	for _, g := range l.Grounds() {
		list = append(list, row{g.Label, g.Text})
	}
	colour := green
	if !l.Safe {
		colour = yellow
	}
	return opt.paint(bold, "Safe to leave: ") + opt.paint(colour, l.Verdict()) + "\n" + layout(list, opt)
}
