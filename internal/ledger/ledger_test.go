package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// night writes a run with attempts that say this much each.
func night(t testing.TB, iterations, words int) (journal.Store, *journal.Run) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	store, r := emptyRun(t, t.TempDir())
	add := adder(r)
	add(0, 0, &loop.RunStarted{Name: r.Meta().Name, Procedure: "build", Agent: "claude", Limits: loop.Limits{Redline: 60}})
	add(0, 0, &loop.CheckpointMade{Checkpoint: "c0"})
	for i := 1; i <= iterations; i++ {
		attempt(add, i, words)
	}
	return store, r
}

// emptyRun makes a run in the records of a work tree.
func emptyRun(t testing.TB, tree string) (journal.Store, *journal.Run) {
	t.Helper()
	store, err := journal.Open(tree)
	if err == nil {
		store, err = store.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Create(journal.Meta{Procedure: "build", Tree: store.Tree, StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return store, r
}

func adder(r *journal.Run) func(iter, n int, p loop.Payload) {
	return func(iter, n int, p loop.Payload) {
		r.Append(loop.Event{Time: time.Now(), Iter: iter, Attempt: n, Payload: p})
	}
}

func attempt(add func(iter, n int, p loop.Payload), i, words int) {
	add(i, 1, &loop.IterationStarted{Max: 10})
	add(i, 1, &loop.AgentStarted{Agent: "claude"})
	for w := range words {
		add(i, 1, &loop.AgentText{Text: fmt.Sprintf("word %d of %d", w, i)})
		if w == words/2 {
			add(0, 0, &loop.CommandReceived{Command: "pause", Effect: "pausing"}) // belongs to no attempt
		}
	}
	add(i, 1, &loop.AgentExited{})
	add(i, 1, &loop.CheckpointMade{Checkpoint: fmt.Sprint("c", i)})
	add(i, 1, &loop.GateFinished{Gate: loop.Gate{Name: "test", OK: i%2 == 0, Why: "red"}})
	o := loop.Outcome{Result: "ok", Usage: &loop.Usage{CostUSD: 0.5, ContextPercent: 30}, Tests: &loop.Tests{Passed: i, Failed: 1}}
	o.Changes = &loop.Changes{Created: 1, LinesAdded: i}
	if i%2 == 1 {
		add(i, 1, &loop.ClaimRefused{Kind: "done", Text: "DONE", Why: "gate test is red"})
		o.Claim = &loop.Claim{Kind: "done", Text: "DONE", Why: "gate test is red"}
	}
	add(i, 1, &loop.IterationFinished{Outcome: o, Verdict: loop.Verdict{Action: "continue"}})
	add(0, 0, &loop.RunWaiting{Why: "a limit", Until: time.Now()})
}

func seqs(lines []Line) []int64 {
	var list []int64
	for _, l := range lines {
		list = append(list, l.Seq)
	}
	return list
}

// Page by page, from either end and of any size, a run is what it is when it is read
// from its beginning.
func TestPagesAreTheWholeRun(t *testing.T) {
	store, r := night(t, 7, 5)
	var want []int64
	for e, err := range store.AllEvents(r.Meta().Name, 0) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, e.Seq)
	}
	for _, limit := range []int{1, 2, 3, 10, 1000} {
		for _, known := range []bool{false, true} {
			l := Open(store, r.Meta().Name)
			if known {
				if err := l.Read(func(*Book) {}); err != nil {
					t.Fatal(err)
				}
			}
			var got []int64
			for q := (Query{Limit: limit}); ; {
				p, err := l.Page(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got = append(seqs(p.Lines), got...)
				if !p.More {
					break
				}
				q.Before = p.Next
			}
			if !slices.Equal(got, want) {
				t.Errorf("backwards by %d: %v, want %v", limit, got, want)
			}
			got = nil
			for q := (Query{Limit: limit, Onward: true}); known; {
				p, err := l.Page(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, seqs(p.Lines)...)
				if !p.More {
					break
				}
				q.After = p.Next
			}
			if known && !slices.Equal(got, want) {
				t.Errorf("onwards by %d: %v, want %v", limit, got, want)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	store, r := night(t, 3, 4)
	l := Open(store, r.Meta().Name)
	for _, tt := range []struct {
		name string
		q    Query
		want int
	}{
		{"a kind", Query{Types: []string{"gate.", "claim."}}, 5},
		{"an iteration", Query{Iteration: 2, Types: []string{"agent.text"}}, 4},
		{"words, in any case", Query{Text: "WORD 1 of 3"}, 1},
		{"the journal alone", Query{NoAgents: true, Types: []string{"agent.text"}}, 0},
	} {
		tt.q.Limit = 100
		p, err := l.Page(t.Context(), tt.q)
		if err != nil || len(p.Lines) != tt.want {
			t.Errorf("%s: %d events, %v; want %d", tt.name, len(p.Lines), err, tt.want)
		}
	}
}

func TestBook(t *testing.T) {
	store, r := night(t, 3, 1)
	l := Open(store, r.Meta().Name)
	look := func() (b Book) {
		t.Helper()
		if err := l.Read(func(all *Book) { b = *all }); err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := look()
	if len(b.Attempts) != 3 || b.Attempts[2].Total != 1.5 || *b.Attempts[2].TestsPassed != 3 || b.Redline != 60 || b.Attempts[0].Refused == "" {
		t.Errorf("the book is %+v", b)
	}
	if len(b.Gates["test"]) != 3 || len(b.Claims) != 2 || len(b.Checkpoints) != 4 || b.Checkpoints[3].LinesAdded != 3 {
		t.Errorf("the book is %+v", b)
	}
	attempt(adder(r), 4, 1)
	if b := look(); len(b.Attempts) != 4 || b.Attempts[3].Total != 2 {
		t.Errorf("after another attempt: %+v", b.Attempts)
	}
}

// A line that no runner wrote is not believed, wherever it stands.
func TestForgedLinesAreNotTakenIn(t *testing.T) {
	store, r := night(t, 2, 1)
	l := Open(store, r.Meta().Name)
	f, err := os.OpenFile(filepath.Join(r.Dir(), "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"seq":9999,"time":"2026-11-16T00:00:00.000Z","run":"x","iter":9,"attempt":1,"type":"claim.refused","why":"forged"}`)
	f.Close()
	p, err := l.Page(t.Context(), Query{Limit: 1000, Types: []string{"claim."}})
	if err != nil || len(p.Lines) != 1 {
		t.Errorf("claims: %d, %v; want 1", len(p.Lines), err)
	}
	if err := l.Read(func(b *Book) {
		if len(b.Claims) != 1 {
			t.Errorf("the book has the claims %+v", b.Claims)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
