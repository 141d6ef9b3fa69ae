package web

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/markup"
	"github.com/refrain-loop/refrain/internal/testlist"
	"github.com/refrain-loop/refrain/internal/text"
)

// latestFirst is a copy of the end of a list, turned around, and never null.
func latestFirst[T any](list []T, most int) []T {
	out := append([]T{}, list[max(0, len(list)-most):]...)
	slices.Reverse(out)
	return out
}

const (
	maxHistory = 200
	maxClaims  = 2000
)

// gateHistory is what one gate has said. Last is how it stands: what it said of other
// trees than the one that is judged, to see what a claim is worth, is only history.
type gateHistory struct {
	Name    string           `json:"name"`
	Last    ledger.GateRun   `json:"last"`
	History []ledger.GateRun `json:"history"`
}

func (s runs) gates(w http.ResponseWriter, r *http.Request) {
	s.book(w, r, func(_ ship, b *ledger.Book) any {
		list := []gateHistory{}
		for _, name := range b.Names {
			runs := b.Gates[name]
			last := runs[len(runs)-1]
			for _, g := range slices.Backward(runs) {
				if g.With == "" {
					last = g
					break
				}
			}
			list = append(list, gateHistory{Name: text.Line(name), Last: last, History: latestFirst(runs, maxHistory)})
		}
		return map[string]any{"gates": list}
	})
}

// gateOutput is what a gate printed.
type gateOutput struct {
	Name  string `json:"name"`
	Clean bool   `json:"clean"`
	HTML  string `json:"html"`
	Bytes int64  `json:"bytes"`
	Cut   bool   `json:"cut"`
}

func (s runs) gateOutputs(w http.ResponseWriter, r *http.Request) {
	one, iter, attempt, ok := s.place(w, r)
	if !ok {
		return
	}
	list := []gateOutput{}
	for _, name := range gatesIn(one, iter, attempt) {
		b, size, err := readPart(one, fileOf(one, iter, attempt, "gates", name+".log"), -1, maxOutput)
		if err != nil {
			continue // it is not a gate's
		}
		out := gateOutput{HTML: markup.Terminal(string(b)), Bytes: size, Cut: int64(len(b)) < size}
		out.Name, out.Clean = strings.CutSuffix(name, ".clean")
		list = append(list, out)
	}
	answer(w, http.StatusOK, map[string]any{"outputs": list, "looks": looksOf(r.Context(), one, iter, attempt)})
}

// maxListedTests is how many tests of a look are on the page: those that fail, then the
// slowest. "refrain show --tests --all" lists every one.
const maxListedTests = 300

// looksOf is what the gates of an attempt saw of tests, as far as it can be read.
func looksOf(ctx context.Context, one ship, iter, attempt int) []testlist.Look {
	list, _ := testlist.Read(ctx, one.store.AttemptDir(one.entry.Name, iter, attempt)) // else there are none
	for i := range list {
		l := &list[i]
		l.Gate, l.With, l.Framework = text.Line(l.Gate), text.Line(l.With), text.Line(l.Framework)
		l.Tests = l.Tests[:min(maxListedTests, len(l.Tests))]
		for j, t := range l.Tests {
			l.Tests[j].Name, l.Tests[j].Message = text.Line(t.Name), text.Printed(t.Message)
		}
	}
	return append([]testlist.Look{}, list...)
}

func (s runs) claims(w http.ResponseWriter, r *http.Request) {
	s.book(w, r, func(_ ship, b *ledger.Book) any { return map[string]any{"claims": latestFirst(b.Claims, maxClaims)} })
}

func (s runs) warnings(w http.ResponseWriter, r *http.Request) {
	s.book(w, r, func(_ ship, b *ledger.Book) any {
		return map[string]any{"warnings": latestFirst(b.Warnings, maxClaims)}
	})
}

func (s runs) checkpoints(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	able := s.actions(one, s.Look(one.store, one.entry))["rollback"]
	s.book(w, r, func(_ ship, b *ledger.Book) any {
		list := append([]ledger.Checkpoint{}, b.Checkpoints...)
		slices.SortStableFunc(list, func(a, b ledger.Checkpoint) int { return cmp.Compare(a.Seq, b.Seq) })
		return map[string]any{"checkpoints": list, "rollback": able}
	})
}

// Task is one of a plan, and which attempt of the run has done it, if one has.
type Task struct {
	Text      string `json:"text"`
	Depth     int    `json:"depth,omitempty"`
	Done      bool   `json:"done"`
	Doing     bool   `json:"doing,omitempty"`
	Iteration int    `json:"iteration,omitempty"`
	Attempt   int    `json:"attempt,omitempty"`
}

// longTask is how much of a task attempts remember.
const longTask = 100

func (s runs) tasks(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	list := []Task{}
	if s.Tasks != nil {
		found, err := s.Tasks(one.store, one.entry.Name)
		if err != nil {
			s.fail(w, err)
			return
		}
		list = append(list, found...)
	}
	err := s.ledgers.of(one).Read(func(b *ledger.Book) {
		by := map[string]ledger.Attempt{} // the last: what was put back had to be done again
		for _, a := range b.Attempts {
			for _, task := range a.Did {
				by[task] = a
			}
		}
		for i, t := range list {
			if a, did := by[text.Shorten(text.Line(t.Text), longTask)]; did && t.Done {
				list[i].Iteration, list[i].Attempt = a.Iteration, a.Attempt
			}
		}
	})
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]any{"tasks": list})
}

// rawEvents are events as they stand in the journal.
type rawEvents struct {
	Events []json.RawMessage `json:"events"`
	First  int64             `json:"first,omitempty"`
	Last   int64             `json:"last,omitempty"`
	More   bool              `json:"more"`
	Next   int64             `json:"next,omitempty"`
}

func rawOf(lines []ledger.Line) rawEvents {
	out := rawEvents{Events: make([]json.RawMessage, 0, len(lines))}
	for _, line := range lines {
		out.Events = append(out.Events, line.Raw)
	}
	if n := len(lines); n > 0 {
		out.First, out.Last = lines[0].Seq, lines[n-1].Seq
	}
	return out
}

func (s runs) events(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	sp, ok := spanOf(w, r)
	if !ok {
		return
	}
	iter, ok := number(w, r, "iteration", 0, 0, math.MaxInt32)
	if !ok {
		return
	}
	asked := r.URL.Query()
	q := ledger.Query{Before: sp.before, After: sp.after, Onward: asked.Has("after"), Limit: sp.limit, Iteration: int(iter), Text: text.Cut(asked.Get("q"), 200), NoAgents: asked.Get("agents") == "0"}
	for _, t := range strings.Split(asked.Get("type"), ",") {
		if t = strings.TrimSpace(t); t != "" {
			q.Types = append(q.Types, t)
		}
	}
	l := s.ledgers.of(one)
	if sp.before > 0 || sp.after > 0 { // to find the place
		if err := l.Read(func(*ledger.Book) {}); err != nil {
			s.fail(w, err)
			return
		}
	}
	page, err := l.Page(r.Context(), q)
	if err != nil {
		s.fail(w, err)
		return
	}
	out := rawOf(page.Lines)
	out.More, out.Next = page.More, page.Next
	answer(w, http.StatusOK, out)
}

// soon is for what must not take long.
const soon = 20 * time.Second
