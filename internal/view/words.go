package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// People says what a run is, in the words that scripts see too, and how much
// stands behind one that is done. Two names for one state would have to be learnt
// twice.
func People(s loop.Status, level loop.Level) string {
	if s == loop.Done {
		return "done, " + LevelWords(level)
	}
	return string(s)
}

// Clock is the local time of day to the minute, with its date when it is not
// the next time that a clock shows this.
func Clock(t, now time.Time) string { return clockIn(t, now, time.Local) }

func clockIn(t, now time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.Local
	}
	if next := t.Sub(now); next >= 0 && next < 24*time.Hour {
		return t.In(zone).Format("15:04")
	}
	return t.In(zone).Format("2006-01-02 15:04")
}

// Dollars is a sum of money, marked when it was worked out and not told.
func Dollars(usd float64, estimated bool) string {
	said := fmt.Sprintf("$%.2f", usd)
	if usd > 0 && usd < 0.005 {
		return "under $0.01"
	}
	if estimated {
		return "≈" + said
	}
	return said
}

// Billed says who pays, empty when it is not known.
func Billed(to string) string {
	switch to {
	case "api_key":
		return "your API key"
	case "subscription":
		return "your subscription"
	}
	return text.Line(to)
}

// Each says how long iterations took, and how far apart they lay.
func Each(s Spread) string {
	mean := text.Duration(time.Duration(s.Mean * float64(time.Millisecond)))
	if apart := Apart(s); apart != "" {
		return mean + " ± " + apart
	}
	return mean
}

// Apart says how far apart durations lie, empty where they do not.
func Apart(s Spread) string {
	apart := text.Duration(time.Duration(s.Deviation * float64(time.Millisecond)))
	if s.N < 2 || apart == text.Duration(0) {
		return ""
	}
	return apart
}

// At names an iteration: "iteration 2/5", or "iteration 2" without a limit.
func At(iteration, limit int) string {
	if limit > 0 {
		return fmt.Sprintf("iteration %d/%d", iteration, limit)
	}
	return fmt.Sprintf("iteration %d", iteration)
}

// MaxIterations is how many iterations a run may have: "max 5 iterations".
func MaxIterations(l loop.Limits) string {
	if l.Iterations == 0 {
		return "unlimited iterations"
	}
	return "max " + text.Plural(l.Iterations, "iteration")
}

// Commit is as much of a commit's name as people use, and what it says it is.
func Commit(p *loop.CommitMade) (name, subject string) {
	first, _, _ := strings.Cut(p.Subject, "\n")
	return text.Cut(text.Line(p.Commit), 7), text.Line(first)
}

// BackTo names the iteration that a tree was put back to.
func BackTo(p *loop.CheckpointRestored) string {
	switch {
	case p.Iteration == nil:
		return "an earlier checkpoint"
	case *p.Iteration == 0:
		return "before the first iteration"
	}
	return fmt.Sprintf("iteration %d", *p.Iteration)
}

// Explained is the agent's reason for a test that it changed.
func Explained(p *loop.TestExplained) string {
	return Fit(p.Name, widestNote) + ": " + Fit(p.Why, widestNote)
}

// Gate says what a gate came to: "passed (12 tests, 0.9s)", "failed (3 of 12
// tests)".
func Gate(g loop.Gate) string {
	word := "failed"
	switch {
	case g.OK:
		word = "passed"
	case g.Known:
		word = "still failing"
	}
	if found := Found(g); found != "" {
		word += " (" + found + ")"
	}
	return word
}

// Found is the evidence of a gate: what ran, or why it did not pass, and in which
// folder, where that is one of its own.
func Found(g loop.Gate) string {
	found := evidence(g)
	if g.Dir == "" {
		return found
	}
	return strings.TrimPrefix(found+", in "+text.Line(g.Dir), ", ")
}

func evidence(g loop.Gate) string {
	took := text.Duration(g.Duration.Duration())
	switch {
	case !g.OK:
		return text.Line(g.Why)
	case g.Tests == 0:
		return took
	}
	return text.Plural(g.Tests, "test") + ", " + took
}

// Where says in which place a gate looks.
func Where(p loop.Place) string {
	switch p {
	case loop.InClean:
		return "in a clean checkout"
	case loop.InWorkspace:
		return "in the work tree"
	}
	return ""
}

// Judged says where claims are judged, and which gates do so in the work tree all
// the same: "in a clean checkout; e2e in the work tree only".
func Judged(p loop.Place, tied []string) string {
	said := Where(p)
	if p == loop.InClean && len(tied) > 0 {
		said += "; " + Names(tied, len(tied)) + " " + onlyWhere(loop.InWorkspace)
	}
	return said
}

// Tied are the gates that judge claims in the work tree although others do so in a
// clean checkout.
func Tied(b *loop.RunBaseline) []string {
	var names []string
	for _, g := range b.Gates {
		if b.Proof == loop.InClean && g.Judged == loop.InWorkspace {
			names = append(names, g.Gate.Name)
		}
	}
	return names
}

// Passed is how many of the tests that ran did: 11/12.
func Passed(t *loop.Tests) string {
	if t == nil || t.Passed+t.Failed == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", t.Passed, t.Passed+t.Failed)
}

// Tests says how a test run went: "11 of 12 tests passed, 2 skipped".
func Tests(t loop.Tests) string {
	said := "no tests ran"
	if ran := t.Passed + t.Failed; ran > 0 {
		said = fmt.Sprintf("%s of %s passed", text.Count(t.Passed), text.Plural(ran, "test"))
	}
	if t.Skipped > 0 {
		said += fmt.Sprintf(", %s skipped", text.Count(t.Skipped))
	}
	return said
}

// Names lists names, and counts those beyond the first few.
func Names(list []string, most int) string {
	shown := make([]string, 0, most)
	for _, name := range list[:min(most, len(list))] {
		shown = append(shown, text.Line(name))
	}
	said := strings.Join(shown, ", ")
	if more := len(list) - len(shown); more > 0 {
		said += fmt.Sprintf(" and %s more", text.Count(more))
	}
	return said
}

// HeldByProvider says what keeps an agent from its model.
func HeldByProvider(a loop.ProviderHold, now time.Time) string {
	said := text.Line(strings.ReplaceAll(string(a.Kind), "_", " "))
	switch loop.Treat(a.Kind).Result {
	case loop.Limited:
		said = UsageLimit(a.Limit)
	case loop.Unavailable:
		said = "the provider is unavailable (" + said + ")"
	}
	switch {
	case a.Kind == loop.ErrAuth:
		said = "not signed in"
	case a.Kind == loop.ErrBilling:
		said = "no credit left"
	}
	if a.Limit != nil && a.Limit.Until.After(a.At) {
		said += " until " + Clock(a.Limit.Until, now)
	}
	return said
}

// Fit gives s as one clean line of at most width cells, cut with an ellipsis.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(text.Line(s), width, text.Ellipsis)
}

// FitPath fits a path into a width. Of what is too long the middle goes: a path says
// most at its ends.
func FitPath(path string, width int) string {
	wide := ansi.StringWidth(path)
	if wide <= width || width < 3 {
		return ansi.Truncate(path, max(width, 0), text.Ellipsis)
	}
	head := (width - 1) / 2
	return ansi.Truncate(ansi.Truncate(path, head, "")+text.Ellipsis+ansi.TruncateLeft(path, wide-(width-1-head), ""), width, "")
}

// Progress is what moved the work on, each in a word; "none" when nothing did, and
// empty when nobody looked.
func Progress(o *loop.Outcome) []string {
	switch {
	case o.Progress == nil:
		return nil
	case !*o.Progress:
		return []string{"none"}
	}
	var by []string
	for _, s := range o.ProgressBy {
		by = append(by, string(s))
	}
	return by
}

// Results counts iterations by how they ended: "4 ok", "1 failed".
func Results(t loop.Totals) []string {
	var said []string
	for _, part := range []struct {
		n    int
		what string
	}{{t.OK, "ok"}, {t.Failed, "failed"}, {t.TimedOut, "timed out"}, {t.Skipped, "skipped"}} {
		if part.n > 0 {
			said = append(said, text.Count(part.n)+" "+part.what)
		}
	}
	return said
}

// Iterations is how many there were: "6 of 20", or "6" without a limit.
func Iterations(t loop.Totals, limit int) string {
	said := text.Count(t.Iterations)
	if limit > 0 {
		said += " of " + text.Count(limit)
	}
	return said
}

// Tasks says how a plan stands.
func Tasks(p *loop.Plan) string {
	return fmt.Sprintf("%s open, %s in progress, %s done", text.Count(p.Open), text.Count(p.InProgress), text.Count(p.Done))
}

// Retry says that the agent is trying again, so that a silence has a cause.
func Retry(p *loop.AgentRetry) string {
	said := "retrying"
	if p.Try > 0 && p.Most > 0 {
		said = fmt.Sprintf("retrying (%d of %d)", p.Try, p.Most)
	}
	if p.Error != nil {
		said += ": " + string(p.Error.Kind) + " " + p.Error.Message
	}
	return said
}

// UsageLimit names a limit of a provider: "usage limit (five_hour)".
func UsageLimit(l *loop.Limit) string {
	if l == nil {
		return "usage limit"
	}
	return "usage limit (" + text.Line(l.Kind) + ")"
}

// TestRun is Tests, with the framework that ran them.
func TestRun(t loop.Tests) string {
	if t.Framework == "" {
		return Tests(t)
	}
	return Tests(t) + " (" + t.Framework + ")"
}

// Elsewhere says where a gate looked, if that is not the work tree.
func Elsewhere(p loop.Place) string {
	if p != loop.InClean {
		return ""
	}
	return ", " + Where(p)
}
