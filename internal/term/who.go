package term

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func agent(run *view.Run) string {
	text := run.Agent
	if !standsIn(run) {
		text = named(run.Agent, run.Model)
	}
	if run.Promise != "" {
		text += fmt.Sprintf(", until %q", run.Promise)
	}
	if o := run.Outcome; o != nil && o.BilledTo != "" {
		text += ", billed to " + view.Billed(o.BilledTo)
	}
	return text
}

// standIn names an agent that works in the place of the run's own, and why.
func standIn(run *view.Run, now time.Time) string {
	if !standsIn(run) {
		return ""
	}
	text := named(run.Worker, run.Model)
	away, ok := run.Sum.AwayAs(run.Agent)
	if !ok || run.State.Ended() {
		return text + " made the last attempt"
	}
	return fmt.Sprintf("%s, while %s is away: %s", text, run.Agent, view.TurnedAway(away, now))
}

func standsIn(run *view.Run) bool { return run.Worker != "" && run.Worker != run.Agent }

// named is an agent with its model, if that is known.
func named(agent, model string) string {
	if model == "" {
		return agent
	}
	return agent + " (" + model + ")"
}

// session is how a kept conversation stands, and how often it began anew.
func session(run *view.Run) string {
	var parts []string
	if s := run.Sum.Session; s != nil && !run.State.Ended() {
		said := "kept for " + text.Plural(s.Iterations, "iteration")
		if percent := run.ContextPercent(); percent > 0 {
			said += fmt.Sprintf(", its context is %d%% full", percent)
		}
		parts = append(parts, said)
	}
	if n := run.Sum.Totals.Reboots; n > 0 {
		parts = append(parts, text.Plural(n, "reboot"))
	}
	return strings.Join(parts, ", ")
}

func unattended(l *view.Leave) string {
	switch {
	case l == nil:
		return ""
	case l.Safe:
		return "safe to leave"
	}
	return "not safe to leave yet: " + strings.Join(l.Missing, "; ")
}

// processes is what a run that is over has left running.
func processes(run *view.Run) string {
	switch {
	case run.State.Ended() && run.Left != nil && len(*run.Left) > 0:
		return fmt.Sprintf("still running: %s; resume, or the next run here, ends them", view.Names(*run.Left, view.FewNames))
	case run.State == loop.Crashed && run.Left == nil:
		return "what may be left is ended by resume, or by the next run here"
	case !run.State.Ended() || run.Left == nil:
		return ""
	}
	none := "none left running"
	if run.State == loop.Crashed || slices.Contains(run.Sum.Told, loop.UnkeptKey) {
		none = "none that could be found" // one may have hidden, and who kept them was gone
	}
	if len(run.Spared) > 0 {
		none += " but " + view.Names(run.Spared, view.FewNames) + " (proc.keep)"
	}
	return none
}

func started(run *view.Run) string {
	if run.StartedAt.IsZero() {
		return ""
	}
	said, last := run.StartedAt.Local().Format(time.DateTime), run.Sum.At.Local()
	end := last.Format(time.DateTime)
	if last.Sub(run.StartedAt) < 24*time.Hour {
		end = last.Format(time.TimeOnly)
	}
	switch {
	case run.State == loop.Crashed:
		return said + ", last heard of at " + end
	case run.State.Ended():
		return said + ", ended " + end
	}
	return said
}
