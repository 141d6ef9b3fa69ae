package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

const glimpsedID = "loop_01234567-89ab-4cde-8f01-23456789abcd"

func luggage(lines ...string) Luggage {
	all := ""
	for _, line := range lines {
		all += line + "\n"
	}
	return Luggage{ID: glimpsedID, Name: "build-1", Meta: []byte(`{"format": 1, "id": "` + glimpsedID + `", "name": "build-1", "procedure": "build", "tree": "/etc", "key": "x", "head": {"events": 7}}`), Journal: []byte(all)}
}

func told(t *testing.T, seq int64, p loop.Payload) string {
	t.Helper()
	b, err := Encode(loop.Event{Seq: seq, Run: glimpsedID, Time: time.Unix(seq, 0).UTC(), Payload: p})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAGlimpseIsReadLikeAnyRun(t *testing.T) {
	g := Glimpse{Store: Store{Dir: t.TempDir(), Tree: "/elsewhere"}, Name: "build-1"}
	started, parked := told(t, 1, &loop.RunStarted{Name: "build-1", Procedure: "build"}), told(t, 2, &loop.RunParked{Why: "later"})
	if err := g.Show(luggage(started)); err != nil {
		t.Fatal(err)
	}
	e, err := g.Store.Load("build-1")
	if err != nil || e.Parked != nil || e.Tampered+e.Unchecked != "" || e.Tree != "/elsewhere" || e.Key != "" || e.Head != nil {
		t.Errorf("run %+v, %v", e, err)
	}
	// Who has the journal open reads on.
	f, err := os.Open(filepath.Join(g.Dir(), journalName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := g.Show(luggage(started, parked)); err != nil {
		t.Fatal(err)
	}
	was, _ := f.Stat()
	if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(was, now) || now.Size() != int64(len(started)+len(parked)+2) {
		t.Errorf("a journal that has only grown is another file: %v", err)
	}
	if e, err = g.Store.Load("build-1"); err != nil || e.Parked == nil {
		t.Errorf("run %+v, %v", e, err)
	}
	// Another journal takes its place.
	if err := g.Show(luggage(started)); err != nil {
		t.Fatal(err)
	}
	if e, err = g.Store.Load("build-1"); err != nil || e.Parked != nil {
		t.Errorf("run %+v, %v", e, err)
	}
}

func TestAGlimpseShowsNothingForeign(t *testing.T) {
	good := told(t, 1, &loop.RunStarted{Name: "build-1", Procedure: "build"})
	for name, l := range map[string]Luggage{
		"an event of another run": luggage(good, strings.ReplaceAll(good, "abcd", "abce")),
		"half a line":             luggage(good, good[:20]),
		"nothing":                 luggage(),
		"another run.json":        {ID: glimpsedID, Name: "build-1", Meta: []byte(`{"format": 1, "id": "x", "procedure": "build"}`), Journal: []byte(good + "\n")},
	} {
		g := Glimpse{Store: Store{Dir: t.TempDir()}, Name: "build-1"}
		var odd *LuggageError
		if err := g.Show(l); !errors.As(err, &odd) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(g.Dir()); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
}

func TestWhoHoldsRunsElsewhereIsAWord(t *testing.T) {
	held := true
	g := Glimpse{Store: Store{Dir: t.TempDir(), Tree: "/elsewhere"}, Name: "build-1"}
	if err := g.Show(luggage(told(t, 1, &loop.RunStarted{Name: "build-1", Procedure: "build"}))); err != nil {
		t.Fatal(err)
	}
	s := HeldBy(g.Store, func() (Holder, bool) { return Holder{Run: "build-1"}, held })
	e, err := s.Load("build-1")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Status(e); got != loop.Running || len(s.Live()) != 1 {
		t.Errorf("it is %s, live: %v", got, s.Live())
	}
	held = false
	if got := s.Status(e); got != loop.Crashed || len(s.Live()) != 0 {
		t.Errorf("it is %s, live: %v; want it crashed", got, s.Live())
	}
}
