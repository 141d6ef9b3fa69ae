package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// attempt is what is listed of one attempt.
type attempt struct {
	place
	result   loop.Result
	took     time.Duration
	tests    *loop.Tests // counts only
	gates    []loop.Gate
	progress string
	usage    loop.Usage
	changes  *loop.Changes
	remark   string // what came of it
	summary  string // what it said of itself
	refused  bool   // its claim was
	notable  bool
}

// maxPaths is how many of its changed files an attempt is listed with.
const maxPaths = 100

func attemptOf(e loop.Event, p *loop.IterationFinished, restored string) attempt {
	o := &p.Outcome
	a := attempt{
		place: place{e.Iter, e.Attempt}, result: o.Result, took: o.Duration.Duration(),
		gates: o.Gates, progress: view.Names(view.Progress(o), 4), changes: fewPaths(o.Changes),
		remark:  view.Fit(remark(o, p.Verdict, restored), maxText),
		summary: view.Fit(o.Summary, maxText),
		refused: o.Claim.Refused(),
		notable: o.Result != loop.OK || o.Claim != nil || p.Verdict.Action != loop.Continue || restored != "",
	}
	if t := o.Tests; t != nil {
		a.tests = &loop.Tests{Passed: t.Passed, Failed: t.Failed, Skipped: t.Skipped}
	}
	if o.Usage != nil {
		a.usage = *o.Usage
	}
	return a
}

// fewPaths drops what is not listed, so that it need not be kept.
func fewPaths(c *loop.Changes) *loop.Changes {
	if c == nil {
		return nil
	}
	few := *c
	few.Paths = append([]loop.PathChange(nil), c.Paths[:min(len(c.Paths), maxPaths)]...)
	return &few
}

// remark says in one sentence what came of an attempt: what the runner found,
// what went wrong, and what that led to.
func remark(o *loop.Outcome, v loop.Verdict, restored string) string {
	var said []string
	if o.Plan != nil && len(o.Plan.Ticked) > 0 {
		said = append(said, "did "+view.Names(o.Plan.Ticked, view.FewNames))
	}
	if found := claimed(o); found != "" {
		said = append(said, found)
	} else if red := redGates(o); red != "" {
		said = append(said, red)
	}
	if wrong := trouble(o); wrong != "" && !strings.Contains(v.Why, wrong) {
		said = append(said, wrong)
	}
	if restored != "" {
		said = append(said, "undone: "+restored)
	}
	switch v.Action {
	case loop.Wait, loop.Reboot, loop.Stop:
		then := string(v.Action)
		if v.Why != "" {
			then += ": " + v.Why
		}
		said = append(said, then)
	}
	return strings.Join(said, "; ")
}

func claimed(o *loop.Outcome) string {
	switch c := o.Claim; {
	case c == nil:
		return ""
	case c.Refused():
		return fmt.Sprintf("claimed %s, refused: %s", c.Kind, c.Why)
	case c.Kind == loop.ClaimBlocked:
		return "said it is blocked: " + c.Text
	default:
		return fmt.Sprintf("claimed %s, %s", c.Kind, view.LevelWords(view.Level(view.ClaimProof(o))))
	}
}

func redGates(o *loop.Outcome) string {
	var said []string
	for _, g := range o.Gates {
		if !g.OK && !g.Known {
			said = append(said, g.Name+" "+view.Gate(g))
		}
	}
	return strings.Join(said, ", ")
}

// trouble is what the agent, its provider or its process ran into.
func trouble(o *loop.Outcome) string {
	switch {
	case o.Limit != nil:
		return view.UsageLimit(o.Limit)
	case o.Error != nil && o.Error.Message != "" && o.Error.Kind == loop.ErrAgent:
		return o.Error.Message
	case o.Error != nil && o.Error.Message != "":
		return text.Words(string(o.Error.Kind)) + ": " + o.Error.Message
	case o.Error != nil:
		return text.Words(string(o.Error.Kind))
	case o.Hook != nil:
		return o.Hook.Says()
	case o.Exit == nil:
		return ""
	case o.Exit.Signal != "":
		return "ended by signal " + o.Exit.Signal
	case o.Exit.Code != nil && *o.Exit.Code != 0:
		return fmt.Sprintf("exit status %d", *o.Exit.Code)
	}
	return ""
}

// table lists the attempts. A column in which none has anything is left out.
type table struct {
	Heads []head
	Rows  []row
}

type head struct {
	Label   string
	Numeric bool
}

type row struct {
	ID    string
	Cells []cell
}

// cell is one fact of an attempt. Sort orders it among the others.
type cell struct {
	Text, Dim, Sort string
	To              string
	Class           string
	Label           string // of its column
	Numeric         bool
	Marks           []gate
}

func (c cell) empty() bool { return c.Text == "" && c.Dim == "" && len(c.Marks) == 0 }

var attemptHeads = []head{
	{"Iteration", true},
	{"Result", false},
	{"Time", true},
	{"Tests", true},
	{"Gates", false},
	{"Progress", false},
	{"Cost", true},
	{"Context", true},
	{"Files", true},
	{"What came of it", false},
}

func attemptTable(d *Data) table {
	var rows []row
	content := make([]bool, len(attemptHeads))
	for i, a := range d.attempts {
		cells := a.cells(i)
		for j, c := range cells {
			content[j] = content[j] || !c.empty()
		}
		rows = append(rows, row{ID: a.anchor("i"), Cells: cells})
	}
	var t table
	for j, h := range attemptHeads {
		if content[j] {
			t.Heads = append(t.Heads, h)
		}
	}
	for _, r := range rows {
		var kept []cell
		for j, c := range r.Cells {
			if content[j] {
				c.Label, c.Numeric = attemptHeads[j].Label, attemptHeads[j].Numeric
				kept = append(kept, c)
			}
		}
		r.Cells = kept
		t.Rows = append(t.Rows, r)
	}
	return t
}

// cells are in the order of the heads; at is the attempt's place in the list.
func (a attempt) cells(at int) []cell {
	says, class := kind(a.result)
	list := []cell{
		{Text: strconv.Itoa(a.iter), Sort: strconv.Itoa(at)},
		{Text: says, Class: class, Sort: says},
		{Text: text.Duration(a.took), Sort: strconv.FormatInt(a.took.Milliseconds(), 10)},
		{},
		{Marks: gates(a.gates)},
		{Text: a.progress},
		{},
		{},
		{},
		{Text: text.Sentence(a.remark), Dim: a.summary},
	}
	if a.place.attempt > 1 {
		list[0].Dim = fmt.Sprintf("attempt %d", a.place.attempt)
	}
	if t := a.tests; t != nil && t.Passed+t.Failed > 0 {
		list[3] = cell{Text: fmt.Sprintf("%s/%s", text.Count(t.Passed), text.Count(t.Passed+t.Failed)), Sort: strconv.Itoa(t.Passed)}
	}
	if a.usage.CostUSD > 0 {
		list[6] = cell{Text: about(a.usage.CostUSD, a.usage.CostEstimated), Sort: number(a.usage.CostUSD * 1000)}
	}
	if a.usage.ContextPercent > 0 {
		list[7] = cell{Text: fmt.Sprintf("%d%%", a.usage.ContextPercent), Sort: strconv.Itoa(a.usage.ContextPercent)}
	}
	if n := files(a.changes); n > 0 {
		list[8] = cell{Text: text.Count(n), Sort: strconv.Itoa(n), To: a.anchor("d")}
	}
	if a.refused {
		list[9].Class = "refused"
	}
	return list
}
