package term

import (
	"fmt"
	"slices"
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
		b.WriteString(opt.paint(colours[run.Grade()], line) + "\n")
	}
	b.WriteString(changedTests(run, opt))
	b.WriteString(layout(rows(run, now), opt))
	b.WriteString(steps(run.Next(), opt))
	return b.String()
}

// rows are the facts of the card.
func rows(run *view.Run, now time.Time) []row {
	s := run.Status(now)
	list := append([]row{{"why", why(run, s, now)}, {"carried", run.Carried}}, proofRows(run)...)
	list = append(list, row{"gates", gates(run)})
	list = append(list, several("refused", run.Refused())...)
	list = append(list, several("near miss", run.NearMisses())...)
	list = append(list,
		row{"plan", planned(run, s)},
		row{"task", atHand(run, s)},
		row{"iterations", iterations(s)},
		row{"time", elapsed(run, s, now)},
		row{"cost", cost(run, s)},
		row{"changed", changed(run.Changed())},
		row{"runs later", view.RunsLater(run)},
		row{"agent", agent(run)},
		row{"command", text.Line(run.Command)},
		row{"prompt", promptOf(run)},
		row{"stand-in", standIn(run, now)},
		row{"session", session(run)},
		row{"sandbox", run.Sandbox()},
		row{"refused", refusedOutside(run)},
		row{"unattended", unattended(s.Leave)},
		row{"processes", processes(run)},
		row{"started", started(run)},
		row{"work tree", run.Tree},
		row{"fleet", who(run)},
		row{"remote", text.Line(run.Away.Where())},
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

// who is who in a fleet has the run.
func who(run *view.Run) string {
	if run.Away == nil {
		return ""
	}
	return text.Line(run.Away.Called + ": " + run.Away.Who)
}

// promptOf is how the prompt of a command begins: that of an agent has told itself
// in its name, its plan or its words.
func promptOf(run *view.Run) string {
	if run.Command == "" {
		return ""
	}
	return text.Shorten(text.Line(run.Prompt), 60)
}

// headline says what the run is, and if it is done, what stands behind that.
func headline(run *view.Run, now time.Time) string {
	switch {
	case run.Wait != nil:
		return fmt.Sprintf("waiting until %s, for another %s", view.Clock(run.Wait.Until, now), text.Left(run.Wait.Until.Sub(now)))
	case run.State == loop.Running && run.Iteration > 0:
		return view.People(run.State, "") + ", " + Position(run)
	case run.State.Ended():
		return run.Headline()
	}
	return Position(run)
}

// colours are those of the news.
var colours = map[view.Grade]style{view.Good: green, view.Fair: yellow, view.Poor: red, view.Live: bold}

func why(run *view.Run, s view.Status, now time.Time) string {
	if run.Wait != nil {
		return text.Line(run.Wait.Why)
	}
	if run.Parked != nil && !run.Parked.Until.IsZero() {
		return s.Why + "; it waits until " + view.Clock(run.Parked.Until, now)
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

// planned is how far the plan has come.
func planned(run *view.Run, s view.Status) string {
	if s.Plan == nil {
		return ""
	}
	return s.Plan.Progress(!run.State.Ended())
}

// atHand is the task that is being done, or, when the run is over, the one that
// would come next.
func atHand(run *view.Run, s view.Status) string {
	switch {
	case s.Plan == nil || s.Plan.Task == "":
		return ""
	case run.State.Ended():
		return "next: " + s.Plan.Task
	}
	return s.Plan.Task
}

func iterations(s view.Status) string {
	said := view.Iterations(s.Totals, s.MaxIterations)
	if parts := view.Results(s.Totals); len(parts) > 0 {
		said += " (" + strings.Join(parts, ", ") + ")"
	}
	if s.Stats != nil && s.Stats.Durations.N > 1 {
		said += ", " + view.Each(s.Stats.Durations) + " each"
	}
	return said
}

// elapsed is how long the run has lasted, and how much of that it waited.
func elapsed(run *view.Run, s view.Status, now time.Time) string {
	said := text.Seconds(s.Elapsed.Duration())
	if n := s.Totals.Waits; n > 0 {
		said += fmt.Sprintf(", of which %s in %s for the provider", text.Seconds(run.Waited(now)), text.Plural(n, "wait"))
	}
	return said
}

// cost is money and tokens, as far as they are known.
func cost(run *view.Run, s view.Status) string {
	var parts []string
	estimated := run.CostEstimated()
	if usd := run.Cost(); usd > 0 && estimated {
		parts = append(parts, view.Dollars(usd, true)+" (estimated)")
	} else if usd > 0 {
		parts = append(parts, view.Dollars(usd, false))
	}
	if n := run.Tokens(); n > 0 {
		parts = append(parts, text.Plural(n, "token"))
	}
	if s.Stats != nil && s.Stats.CostPerProven > 0 {
		parts = append(parts, view.Dollars(s.Stats.CostPerProven, estimated)+" per proven change")
	}
	return strings.Join(parts, ", ")
}

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
	away, ok := run.Sum.HoldOf(run.Agent)
	if !ok || run.State.Ended() {
		return text + " made the last attempt"
	}
	return fmt.Sprintf("%s, while %s is away: %s", text, run.Agent, view.HeldByProvider(away, now))
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
	if run.State == loop.Crashed || slices.Contains(run.Sum.WarnedKeys, loop.UnkeptKey) {
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
	said, last := run.StartedAt.Local().Format(time.DateTime), run.EndedAt().Local()
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

// proofRows say what stands behind a run that is done, or where claims are
// judged in one that is not.
func proofRows(run *view.Run) []row {
	if run.State == loop.Done {
		return several("proof", view.Grounds(run.Proof()))
	}
	list := []row{}
	if run.Sum.Proof != "" {
		list = append(list, row{"proof", "claims are proven " + view.Judged(run.Sum.Proof, run.Sum.Tied)})
	}
	if flaky := run.Sum.Flaky; len(flaky) > 0 {
		list = append(list, row{"flaky", view.Names(flaky, len(flaky)) + ": red and green on one tree"})
	}
	return list
}

// maxDiff is how many lines of a diff a card has.
const maxDiff = 40

// changedTests is what belongs to the headline of a run in which tests were
// changed: which, why, and the diff of just these.
func changedTests(run *view.Run, opt Options) string {
	p := run.Proof()
	if view.Level(p) != loop.LevelTestsChanged {
		return ""
	}
	said := layout(several("old tests", view.ChangedTests(p)), opt)
	lines, more := view.Diff(p, maxDiff)
	if len(lines) == 0 {
		return said
	}
	said += opt.paint(dim, "  diff of these tests:") + "\n"
	for _, line := range lines {
		said += diffLine(line, opt)
	}
	if more > 0 {
		said += opt.paint(dim, diffIndent+"and "+text.Plural(more, "more line")+whereMore(run)) + "\n"
	}
	return said
}

// whereMore is how to see the rest of a diff, where the files are.
func whereMore(run *view.Run) string {
	if run.Away != nil {
		return ""
	}
	return ": " + text.Line(run.Typed("diff"))
}

// diffIndent sets a diff off from the rows of a card.
const diffIndent = "    "

// diffLine is one line of a diff, cut where the screen ends.
func diffLine(line string, opt Options) string {
	if room := opt.page() - len(diffIndent); room >= narrowest {
		line = ansi.Truncate(line, room, "…")
	}
	looks := style("")
	switch {
	case strings.HasPrefix(line, "+"):
		looks = green
	case strings.HasPrefix(line, "-"):
		looks = red
	case strings.HasPrefix(line, "@@"):
		looks = dim
	}
	return strings.TrimRight(diffIndent+opt.paint(looks, line), " ") + "\n"
}

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
