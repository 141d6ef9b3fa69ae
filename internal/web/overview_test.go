package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestOverview(t *testing.T) {
	s := newScene(t)
	s.run().end(loop.Done)
	s.run() // nobody holds its lock
	live := s.run().held(s.store, "")
	live.add(1, 1, &loop.IterationStarted{Max: 10})
	live.add(1, 1, &loop.IterationPhase{Phase: loop.Executing})
	var o Overview
	s.get("/api/overview", &o)
	var got []string
	for _, r := range o.Runs {
		got = append(got, r.Run+" "+r.Group+" "+string(r.State))
	}
	want := "build-3 live running, build-2 finished crashed, build-1 finished done"
	if strings.Join(got, ", ") != want {
		t.Errorf("the runs are %q, want %q", got, want)
	}
	if r := o.Runs[0]; r.Percent == nil || *r.Percent != 0 || r.Why != "iteration 1 of 10: claude works" || r.Title != "Do <b>it</b>" {
		t.Errorf("the live run is %+v", r)
	}
	if o.Machine.Live != 1 || o.Here != s.store.Tree {
		t.Errorf("the machine is %+v", o.Machine)
	}
}

// A run that died waits for somebody, until another one was started in its place.
func TestWhatNeedsSomebody(t *testing.T) {
	s := newScene(t)
	s.run()
	var o Overview
	s.get("/api/overview", &o)
	if o.Runs[0].Group != needsYou || o.Runs[0].State != loop.Crashed {
		t.Errorf("a run that died is %+v", o.Runs[0].Standing)
	}
	s.run().end(loop.Done)
	s.fleet.looked = time.Time{}
	s.get("/api/overview", &o)
	for _, r := range o.Runs {
		if r.Group != isOver {
			t.Errorf("%s is %s, want %s", r.Run, r.Group, isOver)
		}
	}
}

func TestARunThatCannotBeReadIsTold(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.end(loop.Done)
	if err := os.WriteFile(filepath.Join(r.Dir(), "journal.jsonl"), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var o Overview
		s.fleet.looked = time.Time{}
		s.get("/api/overview", &o)
		if len(o.Runs) != 0 || len(o.Unreadable) != 1 || o.Unreadable[0].Run != "build-1" {
			t.Errorf("the overview is %+v", o)
		}
	}
}

func TestWhatAnAgentWroteIsTextOnThePage(t *testing.T) {
	s := newScene(t)
	s.run().end(loop.Done)
	page := s.ask("GET", "/", s.known).Body.String()
	if strings.Contains(page, "<b>it") {
		t.Errorf("the page holds what an agent was told as it is:\n%s", page)
	}
}

// A page hears of what changes, without asking, and of nothing else.
func TestOverviewStream(t *testing.T) {
	s := newScene(t)
	run := s.run().held(s.store, "")
	page := s.listen("/api/stream", nil)
	var o Overview
	page.next("snapshot", &o)
	if len(o.Runs) != 1 || o.Runs[0].State != loop.Running {
		t.Fatalf("the snapshot is %+v", o)
	}
	run.add(1, 1, &loop.IterationStarted{Max: 10})
	var news fleetNews
	page.next("runs", &news)
	if len(news.Changed) != 1 || news.Changed[0].Iteration != 1 {
		t.Errorf("the news are %+v", news)
	}
	run.end(loop.Done)
	_ = run.lock.Unlock()
	page.next("runs", &news)
	if news.Changed[0].State != loop.Done {
		t.Errorf("the news are %+v", news)
	}
	var m Machine
	page.next("machine", &m)
	if m.Live != 0 {
		t.Errorf("the machine is %+v", m)
	}
	if err := s.store.Remove(run.Meta().Name); err != nil {
		t.Fatal(err)
	}
	news = fleetNews{}
	page.next("runs", &news)
	if len(news.Gone) != 1 {
		t.Errorf("the news of a run that was removed are %+v", news)
	}
}
