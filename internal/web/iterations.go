package web

import (
	"encoding/json"
	"io/fs"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	usualRows = 200
	maxRows   = 1000
)

// iterationRows are some rows of the table.
type iterationRows struct {
	Total  int              `json:"total"`
	Offset int              `json:"offset"`
	Rows   []ledger.Attempt `json:"rows"`
}

func (s runs) iterations(w http.ResponseWriter, r *http.Request) {
	offset, ok := number(w, r, "offset", 0, 0, math.MaxInt32)
	if !ok {
		return
	}
	limit, ok := number(w, r, "limit", usualRows, 1, maxRows)
	if !ok {
		return
	}
	s.book(w, r, func(_ ship, b *ledger.Book) any {
		total := len(b.Attempts)
		out := iterationRows{Total: total, Offset: int(offset), Rows: []ledger.Attempt{}}
		from := min(int(offset), total)
		to := min(from+int(limit), total)
		if r.URL.Query().Get("order") == "desc" {
			out.Rows = append(out.Rows, b.Attempts[total-to:total-from]...)
			slices.Reverse(out.Rows)
		} else {
			out.Rows = append(out.Rows, b.Attempts[from:to]...)
		}
		return out
	})
}

// timeline is every attempt in columns, and what happened between.
type timeline struct {
	Seq     int64         `json:"seq"`
	Total   int           `json:"total"`
	Columns columns       `json:"columns"`
	Redline int           `json:"redline,omitempty"`
	Marks   []ledger.Mark `json:"marks"`
}

// columns are the figures of attempts, each in a list: ten thousand rows would say
// every name ten thousand times.
type columns struct {
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

func (c *columns) add(a ledger.Attempt) {
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

// empty has a list for each, which is never null.
func emptyColumns() columns {
	return columns{
		Seq: []int64{}, Iteration: []int{}, Attempt: []int{}, Start: []int64{}, End: []int64{}, Result: []loop.Result{}, Refused: []int{},
		TestsPassed: []*int{}, TestsFailed: []*int{}, CostUSD: []float64{}, TotalCostUSD: []float64{}, Tokens: []int{}, Context: []*int{},
		Duration: []int64{}, LinesAdded: []int{}, LinesRemoved: []int{}, RedGates: []int{}, Level: []loop.Level{},
	}
}

func (s runs) timeline(w http.ResponseWriter, r *http.Request) {
	after, ok := number(w, r, "after", 0, 0, math.MaxInt64)
	if !ok {
		return
	}
	s.book(w, r, func(one ship, b *ledger.Book) any {
		t := timeline{Seq: after, Total: len(b.Attempts), Columns: emptyColumns(), Redline: b.Redline, Marks: []ledger.Mark{}}
		if t.Redline == 0 && after == 0 { // who asks for what is newer knows it
			t.Redline = redlineOf(one)
		}
		// Every page of a live run asks again and again: it pays for what is new alone.
		attempts := b.Attempts[newerThan(after, len(b.Attempts), func(i int) int64 { return b.Attempts[i].Seq }):]
		for _, a := range attempts {
			t.Columns.add(a)
			t.Seq = max(t.Seq, a.Seq)
		}
		t.Marks = append(t.Marks, b.Marks[newerThan(after, len(b.Marks), func(i int) int64 { return b.Marks[i].Seq }):]...)
		if n := len(t.Marks); n > 0 {
			t.Seq = max(t.Seq, t.Marks[n-1].Seq)
		}
		return t
	})
}

// newerThan is the place of the first of n, in order, that came after an event.
func newerThan(after int64, n int, seq func(int) int64) int {
	return sort.Search(n, func(i int) bool { return seq(i) > after })
}

// redlineOf is the redline that a run was started with. Only where sessions are kept it
// is a limit, which stands in the journal; to read a chart by, it is good everywhere.
func redlineOf(one ship) int {
	var settings map[string]struct {
		Value json.RawMessage `json:"value"`
	}
	var percent int
	if json.Unmarshal(one.entry.Config, &settings) != nil || json.Unmarshal(settings["context.redline"].Value, &percent) != nil {
		return 0
	}
	return percent
}

// oneIteration is an attempt in full.
type oneIteration struct {
	Iteration int             `json:"iteration"`
	Attempt   int             `json:"attempt"`
	Attempts  int             `json:"attempts"`
	Running   bool            `json:"running"`
	Row       *ledger.Attempt `json:"row,omitempty"`
	Outcome   *loop.Outcome   `json:"outcome,omitempty"`
	Verdict   *loop.Verdict   `json:"verdict,omitempty"`
	Feedback  []string        `json:"feedback,omitempty"`
	Changes   *loop.Changes   `json:"changes,omitempty"`
	Has       has             `json:"has"`
}

// has is what there is to look at.
type has struct {
	Prompt bool     `json:"prompt"`
	Stdout bool     `json:"stdout"`
	Stderr bool     `json:"stderr"`
	Gates  []string `json:"gates"`
}

func (s runs) iteration(w http.ResponseWriter, r *http.Request) {
	one, iter, attempt, ok := s.place(w, r)
	if !ok {
		return
	}
	dir := one.store.AttemptDir(one.entry.Name, iter, attempt)
	_, attempts, _ := one.store.LastAttempt(one.entry.Name, iter) // place has found it
	out := oneIteration{Iteration: iter, Attempt: attempt, Attempts: attempts, Feedback: journal.ReadFeedback(dir), Has: whatIn(one, iter, attempt)}
	if m, err := journal.ReadChanges(dir); err == nil {
		out.Changes = &m.Changes
	}
	l := s.ledgers.of(one)
	err := l.Read(func(b *ledger.Book) {
		for _, a := range slices.Backward(b.Attempts) {
			if a.Iteration == iter && a.Attempt == attempt {
				row := a
				out.Row = &row
				return
			}
		}
	})
	if err != nil {
		s.fail(w, err)
		return
	}
	if out.Running = out.Row == nil && !one.row.State.Ended(); out.Row != nil {
		page, err := l.Page(r.Context(), ledger.Query{Before: out.Row.Seq + 1, Limit: 1, NoAgents: true})
		if err == nil && len(page.Lines) == 1 {
			if e, err := page.Lines[0].Event(); err == nil {
				if f, ok := e.Payload.(*loop.IterationFinished); ok {
					out.Outcome, out.Verdict = &f.Outcome, &f.Verdict
				}
			}
		}
	}
	answer(w, http.StatusOK, out)
}

// whatIn looks what the folder of an attempt has. Where links lead out of the
// folder of all runs, there is nothing.
func whatIn(one ship, iter, attempt int) has {
	h := has{Gates: gatesIn(one, iter, attempt)}
	root, err := files.OpenTree(home(one))
	if err != nil {
		return h
	}
	defer root.Close()
	some := func(name string) bool {
		info, err := root.Lstat(fileOf(one, iter, attempt, name))
		return err == nil && info.Mode().IsRegular() && info.Size() > 0
	}
	h.Prompt, h.Stdout, h.Stderr = some("prompt.md"), some("stdout"), some("stderr")
	return h
}

// gatesIn are the names of the gates whose output an attempt has, as their files say.
func gatesIn(one ship, iter, attempt int) []string {
	names := []string{}
	root, err := files.OpenTree(home(one))
	if err != nil {
		return names
	}
	defer root.Close()
	list, _ := fs.ReadDir(root.FS(), filepath.ToSlash(fileOf(one, iter, attempt, "gates"))) // else there are none
	for _, e := range list {
		if name, isLog := strings.CutSuffix(e.Name(), ".log"); isLog {
			names = append(names, name)
		}
	}
	return names
}
