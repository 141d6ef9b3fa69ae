package web

import (
	"encoding/json"
	"io/fs"
	"math"
	"net/http"
	"path/filepath"
	"slices"
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

func (s runs) timeline(w http.ResponseWriter, r *http.Request) {
	after, ok := number(w, r, "after", 0, 0, math.MaxInt64)
	if !ok {
		return
	}
	s.book(w, r, func(one ship, b *ledger.Book) any {
		t := b.After(after)
		if t.Redline == 0 && after == 0 { // who asks for what is newer knows it
			t.Redline = redlineOf(one)
		}
		return t
	})
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
