package term

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Below this width a status line says too little to be worth its flicker.
const narrowest = 20

// statusLine is where a live run stands, or nothing when there is no run or no
// room. It stays one cell clear of the edge, where terminals would wrap it.
func statusLine(run *view.Run, opt Options) string {
	width := opt.width()
	if width < narrowest || run.State == "" || run.State.Ended() {
		return ""
	}
	now := opt.now()
	parts := []string{position(run), view.Total(run.Elapsed(now))}
	if run.Wait != nil {
		parts = append(parts, "goes on in "+view.Total(run.Wait.Until.Sub(now)))
	}
	if n := run.Tokens(); n > 0 {
		parts = append(parts, view.Plural(n, "token"))
	}
	if usd := run.Cost(); usd > 0 {
		parts = append(parts, dollars(usd))
	}
	if percent := run.ContextPercent(); percent > 0 {
		parts = append(parts, fmt.Sprintf("context %d%%", percent))
	}
	if gate := lastGate(run); gate != "" {
		parts = append(parts, gate)
	}
	return opt.paint(dim, view.Fit(strings.Join(parts, " · "), width-1))
}

// position is what the run is at: "iteration 2/5", and what it does there.
func position(run *view.Run) string {
	where := string(run.State)
	if run.Iteration > 0 {
		where = fmt.Sprintf("iteration %d", run.Iteration)
		if run.Max() > 0 {
			where += fmt.Sprintf("/%d", run.Max())
		}
	}
	switch {
	case run.Gate != nil:
		where += ", gate " + view.Line(run.Gate.Name+" "+view.Where(run.Gate.Where))
	case run.Iteration == 0:
	case run.State != loop.Running:
		where += ", " + string(run.State)
	case run.Phase != "" && run.Phase != loop.Executing && run.Phase != loop.Pending:
		where += ", " + words(string(run.Phase))
	}
	return where
}

func lastGate(run *view.Run) string {
	if len(run.Gates) == 0 {
		return ""
	}
	g := run.Gates[len(run.Gates)-1]
	if g.OK {
		return "gate " + g.Name + " passed"
	}
	return "gate " + g.Name + " failed"
}

func dollars(usd float64) string { return fmt.Sprintf("$%.2f", usd) }
