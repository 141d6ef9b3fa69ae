package web

import (
	"cmp"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/markup"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Entry is one thing that was said or done, as a page shows it. HTML is the only field
// that is not plain text, and comes out of package markup.
type Entry struct {
	Seq       int64     `json:"seq"`
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration,omitempty"`
	Attempt   int       `json:"attempt,omitempty"`
	Kind      string    `json:"kind"`

	HTML string `json:"html,omitempty"`
	Text string `json:"text,omitempty"`
	Cut  bool   `json:"cut,omitempty"`
	// Plain says that a text is preformatted: what a program printed, and no Markdown.
	Plain bool `json:"plain,omitempty"`

	Tool   *Tool       `json:"tool,omitempty"`
	Of     string      `json:"of,omitempty"`
	Name   string      `json:"name,omitempty"`
	Failed bool        `json:"failed,omitempty"`
	Denied bool        `json:"denied,omitempty"`
	Exit   *int        `json:"exit,omitempty"`
	Tests  *loop.Tests `json:"tests,omitempty"`
	Fact   string      `json:"fact,omitempty"`
	*used
}

type used struct {
	Tokens  int     `json:"tokens,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	Context int     `json:"context,omitempty"`
}

// Tool is a call of one of the agent's tools.
type Tool struct {
	ID    string `json:"id,omitempty"`
	Name  string `json:"name"`
	Input string `json:"input,omitempty"`
	Shell bool   `json:"shell,omitempty"`
}

// maxShown is how much of one text a page gets.
const maxShown = 64 << 10

// entryOf is what a page shows of what an agent said; false for what it does not.
func entryOf(e loop.Event) (Entry, bool) {
	out := Entry{Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Attempt: e.Attempt}
	switch p := e.Payload.(type) {
	case *loop.AgentText:
		said, cut := beginning(p.Text)
		out.Kind, out.HTML, out.Cut, out.Plain = "text", markup.Markdown(said), p.Cut || cut, p.Plain
		if p.Plain {
			out.HTML = markup.Terminal(said)
		}
	case *loop.AgentTool:
		input, cut := beginning(p.Input)
		out.Kind, out.Cut = "tool", cut
		out.Tool = &Tool{ID: text.Line(p.ID), Name: text.Line(p.Name), Input: text.Clean(input), Shell: p.Shell}
	case *loop.AgentToolResult:
		said, cut := beginning(p.Output)
		out.Kind, out.HTML, out.Cut = "result", markup.Terminal(said), cut
		out.Of, out.Name, out.Failed, out.Denied, out.Exit = text.Line(p.ID), text.Line(p.Name), p.Failed, p.Denied, p.Exit
	case *loop.TestsSeen:
		out.Kind, out.Tests, out.Text = "tests", &p.Tests, view.TestRun(p.Tests)
	case *loop.AgentUsage:
		u := p.Usage
		out.Kind, out.used = "usage", &used{Tokens: u.Tokens(), CostUSD: u.Cost(), Context: u.ContextPercent}
	case *loop.AgentRetry:
		out.Kind, out.Text = "retry", view.Retry(p)
	case *loop.AgentSession:
		var said []string
		if p.Model != "" {
			said = append(said, "model "+text.Line(p.Model))
		}
		if billed := view.Billed(p.BilledTo); billed != "" {
			said = append(said, "billed to "+billed)
		}
		if len(said) == 0 {
			return out, false
		}
		out.Kind, out.Text = "session", strings.Join(said, ", ")
	default:
		return out, false
	}
	return out, true
}

// beginning is as much of a text as is shown.
func beginning(s string) (string, bool) {
	if len(s) <= maxShown {
		return s, false
	}
	return text.Cut(s, maxShown), true
}

// facts are the names of what a narrator tells.
var facts = map[view.Kind]string{
	view.Info: "info", view.Opening: "opening", view.Refusal: "refusal", view.Warning: "warning", view.Leaving: "leaving",
	view.Success: "success", view.Failure: "failure", view.Ending: "ending",
}

// teller makes entries of events: what agents said as it is, and all else in the words
// of the terminal.
type teller struct{ narrator *view.Narrator }

// newTeller tells of a run from some event on. It is given the first event, or what is
// known of the run.
func newTeller(run *view.Run) *teller { return &teller{view.NewNarrator(run)} }

func (t *teller) tell(e loop.Event) []Entry {
	told := t.narrator.Tell(e)
	if !e.Type().Kept() {
		if entry, ok := entryOf(e); ok {
			return []Entry{entry}
		}
		return nil
	}
	var list []Entry
	for _, fact := range told {
		list = append(list, Entry{
			Seq: e.Seq, Time: e.Time, Iteration: e.Iter, Attempt: e.Attempt,
			Kind: "fact", Fact: cmp.Or(facts[fact.Kind], "info"), Text: text.Clean(fact.Text),
		})
	}
	return list
}
