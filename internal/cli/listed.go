package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// row is a run in a table.
type row struct {
	Run        string
	State      loop.Status
	Level      loop.Level
	Reason     loop.Reason
	Carried    bool
	Iterations int
	Max        int
	Elapsed    loop.Millis
	StartedAt  time.Time
	Tree       string   // empty: the one that we stand in
	figures    *figures // what only the long table shows; nil: it is in said
	said       string
	whole      *view.Status // all of the run, where that was read
}

// figures is what only the long table shows.
type figures struct {
	Why       string       `json:"why,omitempty"`
	Changed   view.Figures `json:"changed,omitzero"`
	Each      string       `json:"each,omitempty"`
	Waited    loop.Millis  `json:"waited_ms,omitempty"`
	Tokens    int          `json:"tokens,omitempty"`
	Cost      float64      `json:"cost_usd,omitempty"`
	Estimated bool         `json:"cost_estimated,omitempty"`
}

func rowOf(s *view.Status) row {
	t := s.Totals
	f := figures{
		Why: s.Why, Changed: view.Changed(s.Net, t),
		Waited: t.Waited, Tokens: t.Tokens, Cost: t.CostUSD, Estimated: t.CostEstimated,
	}
	if s.Stats != nil && s.Stats.Durations.N > 0 {
		f.Each = view.Each(s.Stats.Durations)
	}
	return row{
		Run: s.Run, State: s.State, Level: view.Level(s.Proof), Reason: s.Reason, Carried: s.Carried != "",
		Iterations: t.Iterations, Max: s.MaxIterations, Elapsed: s.Elapsed, StartedAt: s.StartedAt,
		figures: &f, whole: s,
	}
}

// more is what only the long table shows. For a short one, nobody reads it.
func (r row) more() figures {
	var f figures
	if r.figures != nil {
		f = *r.figures
	} else {
		_ = json.Unmarshal([]byte(r.said), &f) // we have written it
	}
	return f
}

// text is a row of a run that is over, on one line; empty where that cannot be. So much
// of it is read for each list that a reader that is ready for everything would take
// longer than all the rest.
func (r row) text() string {
	words := []string{r.Run, string(r.State), string(r.Level), string(r.Reason), strconv.FormatBool(r.Carried)}
	for _, word := range words {
		if strings.ContainsAny(word, "\t\n") {
			return ""
		}
	}
	for _, n := range []int64{int64(r.Iterations), int64(r.Max), int64(r.Elapsed), r.StartedAt.UnixMilli()} {
		words = append(words, strconv.FormatInt(n, 10))
	}
	long, err := json.Marshal(r.more())
	if err != nil {
		return ""
	}
	return strings.Join(append(words, string(long)), "\t")
}

// readRow reads what text has written.
func readRow(text string) (r row, ok bool) {
	var words [5]string
	var numbers [4]int64
	for i := range words {
		if words[i], text, ok = strings.Cut(text, "\t"); !ok {
			return r, false
		}
	}
	for i := range numbers {
		var word string
		var err error
		word, text, _ = strings.Cut(text, "\t")
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return r, false
		}
	}
	return row{
		Run: words[0], State: loop.Status(words[1]), Level: loop.Level(words[2]), Reason: loop.Reason(words[3]), Carried: words[4] == "true",
		Iterations: int(numbers[0]), Max: int(numbers[1]), Elapsed: loop.Millis(numbers[2]), StartedAt: time.UnixMilli(numbers[3]).UTC(),
		said: text,
	}, true
}

// listed is the runs of a store, for a list. What the tables show of those that are
// over is kept in the index of the store.
type listed struct {
	store journal.Store
	now   time.Time
	index *journal.Index // nil: all of each run is wanted, which is more than is kept
}

func (l listed) list() (list []*journal.Brief, bad []journal.Unreadable, err error) {
	if l.index != nil {
		return l.index.List()
	}
	entries, bad, err := l.store.List()
	for _, e := range entries {
		list = append(list, journal.BriefOf(e))
	}
	return list, bad, err
}

// row is a run as it stands.
func (l listed) row(b *journal.Brief) (row, error) {
	if b.Entry == nil {
		if r, ok := readRow(b.Said); ok {
			return r, nil
		}
		e, err := l.store.Load(b.Name)
		if err != nil {
			return row{}, err
		}
		b.Entry = &e
	}
	s := lookAt(l.store, *b.Entry).Status(l.now)
	r := rowOf(&s)
	if l.index != nil {
		l.index.Keep(b, r.text)
	}
	return r, nil
}

// done keeps what was read.
func (l listed) done() {
	if l.index != nil {
		l.index.Close()
	}
}
