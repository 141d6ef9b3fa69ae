package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// pageHead is what the run was and came to.
type pageHead struct {
	Run, Headline, Why string
	Grade              view.Grade
	Unsaved            []string
	Facts              []fact
	Figures            []figure
}

func headOf(d *Data) pageHead {
	h := pageHead{
		Run: cmp.Or(text.Line(d.Status.Run), "run"), Headline: headline(d), Grade: d.run.Grade(),
		Why: text.Sentence(view.Fit(d.Status.Why, 4*maxText)), Facts: facts(d), Figures: figures(d),
	}
	if d.run.Finished != nil {
		for _, what := range d.run.Finished.Unsaved {
			h.Unsaved = append(h.Unsaved, view.Fit(what, maxText))
		}
	}
	return h
}

// figure is one number that people look for, with what belongs to it.
type figure struct {
	Label, Value string
	Notes        []string
}

// figures are the numbers of a run. What is not known is left out.
func figures(d *Data) []figure {
	t := d.Status.Totals
	list := []figure{
		{"Iterations", view.Iterations(t, d.Status.MaxIterations), notes(strings.Join(view.Results(t), " · "))},
		{"Elapsed", text.Seconds(d.Status.Elapsed.Duration()), notes(waited(d.waits), reboots(t.Reboots))},
	}
	if t.CostUSD > 0 {
		each, guess := "", ""
		if t.Proven > 0 {
			each = about(t.CostUSD/float64(t.Proven), t.CostEstimated) + " per proven change"
		}
		if t.CostEstimated {
			guess = "some of it estimated"
		}
		list = append(list, figure{"Cost", about(t.CostUSD, t.CostEstimated), notes(each, guess)})
	}
	if t.Tokens > 0 {
		each := ""
		if t.Iterations > 0 {
			each = "about " + short(t.Tokens/t.Iterations) + " per iteration"
		}
		list = append(list, figure{"Tokens", short(t.Tokens), notes(each)})
	}
	if p := d.Status.Plan; p != nil {
		next := ""
		if p.Task != "" {
			next = "next: " + p.Task
		}
		list = append(list, figure{"Plan", view.TasksDone(p.Tally), notes(next)})
	}
	f := d.run.Changed()
	list = append(list, figure{"Changed", text.Plural(f.Files, "file"), notes(lines(f.LinesAdded, f.LinesRemoved), commits(f.Commits))})
	if spread := d.run.Sum.Durations; spread.N > 0 {
		list = append(list, figure{"Per iteration", ms(spread.Mean), around(spread)})
	}
	return list
}

func waited(list []wait) string {
	var total time.Duration
	for _, w := range list {
		total += w.total
	}
	if total == 0 {
		return ""
	}
	return durationWords(total.Milliseconds()) + " of it waiting"
}

func commits(n int) string {
	if n == 0 {
		return ""
	}
	return text.Plural(n, "commit")
}

// around is how much iterations differ in length.
func around(d loop.Durations) []string {
	if d.N < 2 {
		return nil
	}
	apart := view.Apart(view.Spread{N: d.N, Deviation: math.Sqrt(d.Squares / float64(d.N-1))})
	if apart == "" {
		return nil
	}
	return []string{"± " + apart, fmt.Sprintf("%s to %s", text.Duration(d.Min.Duration()), text.Duration(d.Max.Duration()))}
}

func ms(n float64) string { return text.Duration(time.Duration(n * float64(time.Millisecond))) }

// short is a number to three digits: 812, 48.2k, 1.20M.
func short(n int) string {
	switch f := float64(n); {
	case n < 10_000:
		return text.Count(n)
	case n < 999_500:
		return fmt.Sprintf("%.3gk", f/1e3)
	case n < 999_500_000:
		return fmt.Sprintf("%.3gM", f/1e6)
	default:
		return fmt.Sprintf("%.4gG", f/1e9)
	}
}

func reboots(n int) string {
	if n == 0 {
		return ""
	}
	return text.Plural(n, "fresh session")
}

// notes leaves out what is empty.
func notes(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

func join(with string, parts ...string) string { return strings.Join(notes(parts...), with) }

// headline says in everyday words what a run came to.
func headline(d *Data) string {
	run := d.run
	said := text.Sentence(text.Line(view.People(run.State, run.Level())))
	switch {
	case run.State == "":
		return "Not started"
	case run.State.Ended() || run.Iteration == 0:
		return said
	case run.Max() > 0:
		return fmt.Sprintf("%s, iteration %s of %s", said, text.Count(run.Iteration), text.Count(run.Max()))
	}
	return fmt.Sprintf("%s, iteration %s", said, text.Count(run.Iteration))
}

// facts are what the run was.
func facts(d *Data) []fact {
	run, zone := d.run, d.made.Location()
	agent := text.Line(run.Agent)
	if run.Model != "" {
		agent = join(" ", agent, "("+text.Line(run.Model)+")")
	}
	billed := ""
	if run.Outcome != nil {
		billed = text.Words(run.Outcome.BilledTo)
	}
	until := ""
	if run.Promise != "" {
		until = "“" + text.Line(run.Promise) + "”"
	}
	return known([]fact{
		{"Procedure", text.Line(run.Procedure), false},
		{"Agent", agent, false},
		{"Billed to", billed, false},
		{"Until", until, false},
		{"Started", clock(run.StartedAt, zone), false},
		{"Branch", text.Line(run.Branch), true},
		{"Sandbox", run.Sandbox(), false},
		{"Version", text.Line(d.version), false},
		{"Files", text.Path(d.Status.Dir), true},
		{"Prompt", view.Fit(run.Prompt, maxText), false},
	})
}
