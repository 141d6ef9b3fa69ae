package ledger

import (
	"sort"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Timeline is every attempt in columns, and what happened between. The page
// relies on its names.
type Timeline struct {
	Seq     int64   `json:"seq"`
	Total   int     `json:"total"`
	Columns Columns `json:"columns"`
	Redline int     `json:"redline,omitempty"`
	Marks   []Mark  `json:"marks"`
}

// Columns are the figures of attempts, each in a list: ten thousand rows would say
// every name ten thousand times.
type Columns struct {
	Seq          []int64       `json:"seq"`
	Iteration    []int         `json:"iteration"`
	Attempt      []int         `json:"attempt"`
	Start        []int64       `json:"start"`
	End          []int64       `json:"end"`
	Result       []loop.Result `json:"result"`
	Refused      []int         `json:"refused"`
	TestsPassed  []*int        `json:"tests_passed"`
	TestsFailed  []*int        `json:"tests_failed"`
	CostUSD      []float64     `json:"cost_usd"`
	TotalCostUSD []float64     `json:"total_cost_usd"`
	Tokens       []int         `json:"tokens"`
	Context      []*int        `json:"context"`
	Duration     []int64       `json:"duration_ms"`
	LinesAdded   []int         `json:"lines_added"`
	LinesRemoved []int         `json:"lines_removed"`
	RedGates     []int         `json:"red_gates"`
	Level        []loop.Level  `json:"level"`
}

func (c *Columns) add(a Attempt) {
	refused, start := 0, a.StartedAt.UnixMilli()
	if a.Refused != "" {
		refused = 1
	}
	if a.StartedAt.IsZero() {
		start = a.EndedAt.UnixMilli() - a.Duration.Duration().Milliseconds()
	}
	var context *int
	if a.Context > 0 {
		context = &a.Context
	}
	c.Seq, c.Iteration, c.Attempt = append(c.Seq, a.Seq), append(c.Iteration, a.Iteration), append(c.Attempt, a.Attempt)
	c.Start, c.End = append(c.Start, start), append(c.End, a.EndedAt.UnixMilli())
	c.Result, c.Refused, c.Level = append(c.Result, a.Result), append(c.Refused, refused), append(c.Level, a.Level)
	c.TestsPassed, c.TestsFailed = append(c.TestsPassed, a.TestsPassed), append(c.TestsFailed, a.TestsFailed)
	c.CostUSD, c.TotalCostUSD, c.Tokens = append(c.CostUSD, a.CostUSD), append(c.TotalCostUSD, a.Total), append(c.Tokens, a.Tokens)
	c.Context, c.Duration = append(c.Context, context), append(c.Duration, a.Duration.Duration().Milliseconds())
	c.LinesAdded, c.LinesRemoved = append(c.LinesAdded, a.LinesAdded), append(c.LinesRemoved, a.LinesRemoved)
	c.RedGates = append(c.RedGates, len(a.RedGates))
}

// emptyColumns has a list for each, which is never null.
func emptyColumns() Columns {
	return Columns{
		Seq: []int64{}, Iteration: []int{}, Attempt: []int{}, Start: []int64{}, End: []int64{}, Result: []loop.Result{}, Refused: []int{},
		TestsPassed: []*int{}, TestsFailed: []*int{}, CostUSD: []float64{}, TotalCostUSD: []float64{}, Tokens: []int{}, Context: []*int{},
		Duration: []int64{}, LinesAdded: []int{}, LinesRemoved: []int{}, RedGates: []int{}, Level: []loop.Level{},
	}
}

// After is the timeline of what came after an event. Every page of a live run asks
// again and again: it pays for what is new alone.
func (b *Book) After(seq int64) Timeline {
	t := Timeline{Seq: seq, Total: len(b.Attempts), Columns: emptyColumns(), Redline: b.Redline, Marks: []Mark{}}
	for _, a := range b.Attempts[newerThan(seq, len(b.Attempts), func(i int) int64 { return b.Attempts[i].Seq }):] {
		t.Columns.add(a)
		t.Seq = max(t.Seq, a.Seq)
	}
	t.Marks = append(t.Marks, b.Marks[newerThan(seq, len(b.Marks), func(i int) int64 { return b.Marks[i].Seq }):]...)
	if n := len(t.Marks); n > 0 {
		t.Seq = max(t.Seq, t.Marks[n-1].Seq)
	}
	return t
}

// newerThan is the place of the first of n, in order, that came after an event.
func newerThan(after int64, n int, seq func(int) int64) int {
	return sort.Search(n, func(i int) bool { return seq(i) > after })
}
