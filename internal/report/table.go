package report

import (
	"fmt"
	"strconv"

	"github.com/refrain-loop/refrain/internal/text"
)

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
