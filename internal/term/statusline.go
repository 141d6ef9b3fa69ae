package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Below this width a status line says too little to be worth its flicker.
const narrowest = 20

// statusLine is where a live run stands, or nothing when there is no run or no
// room. It stays one cell clear of the edge, where terminals would wrap it.
func statusLine(run *view.Run, opt Options) string {
	width := opt.width()
	if width < narrowest || run.State == "" || run.State.Ended() || run.Asked != nil {
		return "" // while a person is asked, the last line is theirs
	}
	now := opt.now()
	if run.Wait != nil {
		return opt.paint(dim, waitLine(run.Wait, now, width-1))
	}
	parts := []string{Position(run), text.Seconds(run.Elapsed(now))}
	if tally := run.Sum.Tasks.Plan; tally != nil {
		parts = append(parts, view.TasksBrief(*tally))
	}
	if run.State == loop.Paused {
		parts = append(parts, "refrain resume goes on")
	}
	if n := run.Tokens(); n > 0 {
		parts = append(parts, text.Plural(n, "token"))
	}
	if usd := run.Cost(); usd > 0 {
		parts = append(parts, view.Dollars(usd, run.CostEstimated()))
	}
	if percent := run.ContextPercent(); percent > 0 {
		parts = append(parts, fmt.Sprintf("context %d%%", percent))
	}
	if gate := lastGate(run); gate != "" {
		parts = append(parts, gate)
	}
	return opt.paint(dim, view.Fit(strings.Join(parts, " · "), width-1))
}

// Position is what a live run is at: "iteration 2/5", and what it does there.
func Position(run *view.Run) string {
	where := string(run.State)
	if run.Iteration > 0 {
		where = view.At(run.Iteration, run.Max())
	}
	switch {
	case run.Gate != nil:
		where += ", gate " + text.Line(run.Gate.Name+" "+view.Where(run.Gate.Where))
	case run.Iteration == 0:
	case run.State != loop.Running:
		where += ", " + string(run.State)
	case run.Phase != "" && run.Phase != loop.Executing && run.Phase != loop.Pending:
		where += ", " + text.Words(string(run.Phase))
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

// waitLine counts a wait down, and says how to end it. What has no room is left
// out from the end.
func waitLine(w *loop.RunWaiting, now time.Time, room int) string {
	left, until := text.Left(w.Until.Sub(now)), view.Clock(w.Until, now)
	line := fmt.Sprintf("waiting %s: %s, until %s", left, text.Line(w.Why), until)
	if w.Rule == loop.RuleLimit {
		line = fmt.Sprintf("waiting %s for %s, until %s", left, text.Line(w.Why), until)
	}
	if ansi.StringWidth(line) > room {
		line = fmt.Sprintf("waiting %s, until %s", left, until)
	}
	for _, hint := range []string{"Ctrl+C stops", "refrain resume cuts it short"} {
		if longer := line + " · " + hint; ansi.StringWidth(longer) <= room {
			line = longer
		}
	}
	return view.Fit(line, room)
}
