package tui

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// maxNames is how many tests are listed by name.
const maxNames = 200

// checks is the pane with what the runner itself has seen: the last word of each
// gate, the tests, the plan, and what the next agent will hear of it.
func (d *runData) checks() []*block {
	var s sheet
	s.list("Proof", plain, view.Grounds(d.run.Proof()))
	s.list("Changed tests", caution, view.ChangedTests(d.run.Proof()))
	s.gates(d.run)
	s.tests(d.tests)
	s.plan(d.run.Outcome)
	s.list("Claims refused", caution, d.run.Refused())
	s.list("Near misses", caution, d.run.NearMisses())
	var told []string
	for _, f := range d.run.Sum.Feedback {
		told = append(told, f.Text)
	}
	s.list("The next agent is told", plain, append(told, d.run.Sum.Notes...))
	if len(s) == 0 {
		s.text(faint, "No gate has run, and no test was seen.")
	}
	return s
}

// sheet is sections below each other.
type sheet []*block

func (s *sheet) head(text string) {
	if len(*s) > 0 {
		s.text(plain, "")
	}
	s.text(heading, text)
}

func (s *sheet) text(looks style, said string) {
	*s = append(*s, &block{text: text.Line(said), style: looks})
}

func (s *sheet) item(looks style, said string) {
	*s = append(*s, &block{text: "  " + text.Line(said), style: looks, indent: "    "})
}

func (s *sheet) list(head string, looks style, items []string) {
	if len(items) == 0 {
		return
	}
	s.head(head)
	for _, text := range items[:min(len(items), maxNames)] {
		s.item(looks, text)
	}
	if more := len(items) - maxNames; more > 0 {
		s.item(faint, fmt.Sprintf("and %s more", text.Count(more)))
	}
}

func (s *sheet) gates(run *view.Run) {
	if len(run.Gates) == 0 && run.Gate == nil {
		return
	}
	s.head("Gates")
	for _, g := range run.Gates {
		sign := "✓ "
		if !g.OK {
			sign = "✗ "
		}
		s.item(gateStyle(g), sign+g.Name+" "+view.Gate(g)+view.Elsewhere(g.Where))
	}
	if g := run.Gate; g != nil {
		s.item(live, "… "+g.Name+" runs"+view.Elsewhere(g.Where))
	}
	if run.Sum.Proof != "" {
		s.item(faint, "claims are judged "+view.Judged(run.Sum.Proof, run.Sum.Tied))
	}
}

func (s *sheet) tests(t *loop.Tests) {
	if t == nil {
		return
	}
	looks := good
	if t.Failed > 0 {
		looks = bad
	}
	s.head("Tests")
	s.item(looks, view.TestRun(*t))
	s.list("Newly failing", bad, t.NewlyFailing)
	s.list("No longer failing", good, t.NewlyFixed)
	s.list("Flaky", caution, t.Flaky)
	s.list("Failing", bad, t.Failing)
}

func (s *sheet) plan(o *loop.Outcome) {
	if o == nil || o.Plan == nil {
		return
	}
	s.head("Plan")
	s.item(plain, view.Tasks(o.Plan))
	if o.Plan.Lost > 0 {
		s.item(caution, text.Plural(o.Plan.Lost, "open task")+" vanished")
	}
}
