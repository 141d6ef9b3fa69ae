package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// position says in one line where the run stands.
func (d *runData) position(p palette, tasks string, now time.Time, width int) string {
	run := d.run
	if run.State == "" {
		return p.facts([]part{{"refrain", strong, 0}, {"the run is about to begin", faint, 1}}, "  ", width)
	}
	parts := []part{
		{text.Line(called(run)), strong, 0},
		{" " + state(run, now) + " ", stateStyle(run), 0},
		{d.wish(), caution, 2},
		{iteration(run), plain, 1},
		{view.Bar(run.Iteration, run.Max()), live, 6},
		{tasks, good, 2},
		{of(text.Seconds(run.Elapsed(now)), text.Seconds(run.Limits.Time.Duration()), run.Limits.Time > 0), plain, 3},
	}
	if usd := run.Cost(); usd > 0 {
		parts = append(parts, part{of(view.Dollars(usd, run.CostEstimated()), view.Dollars(run.Limits.CostUSD, false), run.Limits.CostUSD > 0), plain, 4})
	}
	if n := run.Tokens(); n > 0 {
		parts = append(parts, part{of(text.Count(n), text.Count(run.Limits.Tokens), run.Limits.Tokens > 0) + " tokens", plain, 7})
	}
	parts = append(parts, part{with(run), plain, 3}, part{doing(run), faint, 5}, sandbox(run, width), part{d.ends(), faint, 8})
	return p.facts(parts, "  ", width)
}

// called is what people call the run by.
func called(run *view.Run) string {
	if run.Away != nil {
		return run.Away.Called
	}
	return run.Name
}

// with is who has a run that is not on this machine.
func with(run *view.Run) string {
	if run.Away == nil || run.Away.Over {
		return ""
	}
	return text.Line(run.Away.Who)
}

// sandbox is what confines the run, without its reasons where they take too much room:
// the end of the phrase is what warns. That nothing does is worth more than anything else.
func sandbox(run *view.Run, width int) part {
	s := run.Sum.Sandbox
	if s == nil {
		return part{}
	}
	said := "sandbox: " + view.Sandbox(s)
	if ansi.StringWidth(said) > max(24, width/4) {
		said = "sandbox: " + text.Line(s.Short())
	}
	_, unasked := s.Unconfined()
	switch {
	case run.Finished != nil:
		return part{said, faint, 9} // why it ended is worth more then
	case len(s.Open) > 0 && width < 100:
		said = strings.TrimPrefix(text.Line(s.Short()), s.Mode+", ")
	case unasked || s.AskedOff() || len(s.Open) > 0:
	default:
		return part{said, faint, 9} // the card has it, too
	}
	return part{said, caution, 0}
}

// of is what is used up, and of how much where that is limited.
func of(used, all string, limited bool) string {
	if !limited {
		return used
	}
	return used + " of " + all
}

// ends is what ends the run, or has ended it.
func (d *runData) ends() string {
	run := d.run
	switch {
	case run.Finished != nil:
		return text.Line(run.Finished.Why)
	case run.Promise != "":
		return fmt.Sprintf("until %q", text.Line(run.Promise))
	}
	return ""
}

// state is the run's state in people's words; what is waited for is counted down.
func state(run *view.Run, now time.Time) string {
	switch {
	case run.Asked != nil && !run.Asked.Until.IsZero():
		return "asks, for " + text.Left(run.Asked.Until.Sub(now))
	case run.Asked != nil:
		return "asks"
	case run.Wait != nil:
		return "waiting " + text.Left(run.Wait.Until.Sub(now))
	}
	return view.People(run.State, run.Level())
}

// wish is what people have asked for and has not come about yet.
func (d *runData) wish() string {
	switch {
	case d.stopping:
		return "stopping"
	case d.pausing:
		return "pausing"
	}
	return ""
}

func stateStyle(run *view.Run) style {
	if run.State == loop.Waiting || run.State == loop.Paused || run.Asked != nil {
		return stateCaution
	}
	return map[view.Grade]style{view.Good: stateGood, view.Fair: stateCaution, view.Poor: stateBad, view.Live: stateLive}[run.Grade()]
}

func iteration(run *view.Run) string {
	if run.Iteration == 0 {
		return ""
	}
	return view.At(run.Iteration, run.Max())
}

// doing is what goes on beside the agent's work.
func doing(run *view.Run) string {
	switch {
	case run.Gate != nil:
		return "gate " + text.Line(run.Gate.Name) + view.Elsewhere(run.Gate.Where)
	case run.Phase == loop.PreHooks, run.Phase == loop.PostHooks:
		return "hooks"
	case run.Phase == loop.Gates:
		return "gates"
	case run.Attempt > 1 && run.Open:
		return fmt.Sprintf("attempt %d", run.Attempt)
	}
	return ""
}

// condition says in one line how the run fares: what it waits for, or how full
// its context is, how its tests go and what is piling up.
func (d *runData) condition(p palette, now time.Time, width int) string {
	run := d.run
	if d.trouble != "" && !run.State.Ended() {
		return p.facts([]part{{"no more is heard of the run: " + d.trouble, bad, 0}}, "", width)
	}
	if w := run.Wait; w != nil {
		return p.facts([]part{
			{text.Line(w.Why), caution, 0},
			{"until " + view.Clock(w.Until, now), plain, 1},
			{"c goes on at once", faint, 2},
		}, " · ", width)
	}
	parts := []part{{view.Gauge(run.ContextPercent(), run.Limits.Redline), gaugeStyle(run), 1}}
	if n := len(d.trend); n > 0 {
		t := d.trend[n-1]
		s := good
		if t.Failed > 0 {
			s = caution
		}
		parts = append(parts, part{"tests " + view.Spark(d.trend, min(16, width/5)) + view.Passed(&t), s, 0})
	}
	parts = append(parts, streaks(run)...)
	if run.State == loop.Paused {
		parts = append(parts, part{"p goes on", faint, 1})
	}
	return p.facts(parts, "   ", width)
}

func gaugeStyle(run *view.Run) style {
	if line := run.Limits.Redline; line > 0 && run.ContextPercent() >= line*9/10 {
		return caution
	}
	return plain
}

// streaks are shown from where a rule would soon act on them.
func streaks(run *view.Run) []part {
	s, limits := run.Sum.Streaks, run.Limits
	var parts []part
	for _, x := range []struct {
		what     string
		n, limit int
	}{
		{"failures", s.Failures, limits.Failures},
		{"red", s.RedGates, limits.RedGates},
		{"test failures", s.TestFailures, limits.TestFailures},
		{"no progress", s.NoProgress, limits.NoProgress},
	} {
		if x.n == 0 || run.State.Ended() {
			continue
		}
		said := fmt.Sprintf("%s %d", x.what, x.n)
		s := faint
		if x.limit > 0 {
			said += fmt.Sprintf("/%d", x.limit)
			if x.n*2 >= x.limit {
				s = caution
			}
		}
		parts = append(parts, part{said, s, 2})
	}
	return parts
}
