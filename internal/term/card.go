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

// Card sums a run up in a few lines: what happened, what was refused and why,
// what it cost, and what to do next.
func Card(run *view.Run, opt Options) string {
	now := opt.now()
	head := row{text: headline(run, now)}.fold(opt.page() - ansi.StringWidth(run.Name) - len(": "))
	var b strings.Builder
	b.WriteString(opt.paint(bold, text.Line(run.Name)+": "))
	for i, line := range head {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(opt.paint(colour(run), line) + "\n")
	}
	b.WriteString(changedTests(run, opt))
	b.WriteString(layout(rows(run, now), opt))
	b.WriteString(steps(run.Next(), opt))
	return b.String()
}

// rows are the facts of the card.
func rows(run *view.Run, now time.Time) []row {
	s := run.Status(now)
	list := append([]row{{"why", why(run, s)}}, proofRows(run)...)
	list = append(list, row{"gates", gates(run)})
	list = append(list, several("refused", run.Refused())...)
	list = append(list, several("near miss", run.NearMisses())...)
	list = append(list,
		row{"iterations", iterations(s)},
		row{"time", elapsed(run, s, now)},
		row{"cost", cost(run, s)},
		row{"changed", changed(run.Changed())},
		row{"agent", agent(run)},
		row{"stand-in", standIn(run, now)},
		row{"session", session(run)},
		row{"unattended", unattended(s.Leave)},
		row{"processes", processes(run)},
		row{"started", started(run)},
		row{"work tree", run.Tree},
		row{"branch", run.Branch},
		row{"put back", run.PutBack()},
		row{"not used", run.UnusedGit()},
		row{"files", s.Dir},
	)
	if run.Finished != nil {
		list = append(list, several("not saved", run.Finished.Unsaved)...)
	}
	return list
}

// headline says what the run is, and if it is done, what stands behind that.
func headline(run *view.Run, now time.Time) string {
	switch {
	case run.Wait != nil:
		return fmt.Sprintf("waiting until %s, for another %s", view.Clock(run.Wait.Until, now), text.Left(run.Wait.Until.Sub(now)))
	case run.State == loop.Running && run.Iteration > 0:
		return view.People(run.State, "") + ", " + position(run)
	case run.State.Ended():
		return run.Headline()
	}
	return position(run)
}

func colour(run *view.Run) style {
	switch run.State {
	case loop.Done:
		if !run.Level().AtLeast(loop.LevelKept) {
			return yellow
		}
		return green
	case loop.Aborted, loop.CouldNotRun, loop.Crashed:
		return red
	case loop.Exhausted, loop.Stopped:
		return yellow
	}
	return bold
}

func why(run *view.Run, s view.Status) string {
	if run.Wait != nil {
		return text.Line(run.Wait.Why)
	}
	return s.Why
}

// gates is the last word of each. Of those that passed, the headline of a proven
// run has said it.
func gates(run *view.Run) string {
	var said []string
	for _, g := range run.Gates {
		if !g.OK || !run.Proven() {
			said = append(said, g.Name+" "+view.Gate(g))
		}
	}
	return strings.Join(said, "; ")
}
