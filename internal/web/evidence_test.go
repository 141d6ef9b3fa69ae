package web

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// A gate also runs on the first checkpoint, to see what a claim is worth: that is not how
// the work stands.
func TestTheLastWordOfAGateIsOnTheTreeThatIsJudged(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	r.add(1, 1, &loop.GateFinished{Gate: loop.Gate{Name: "test", Why: "red at first"}})
	r.add(2, 1, &loop.GateFinished{Gate: loop.Gate{Name: "test", OK: true, Where: "clean"}})
	r.add(2, 1, &loop.GateFinished{Gate: loop.Gate{Name: "test", Where: "clean"}, With: "before"})
	r.add(2, 1, &loop.GateFinished{Gate: loop.Gate{Name: "odd"}, With: "before"})
	var all struct{ Gates []gateHistory }
	s.get("/api/runs/"+r.Meta().ID+"/gates", &all)
	if len(all.Gates) != 2 || !all.Gates[0].Last.OK || all.Gates[0].Last.Iteration != 2 || len(all.Gates[0].History) != 3 {
		t.Errorf("the gates are %+v", all.Gates)
	}
	if all.Gates[1].Last.With != "before" {
		t.Errorf("of a gate that ran nowhere else, the last is %+v", all.Gates[1].Last)
	}
}

func TestTasksTellWhoDidThem(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	long := strings.Repeat("sort ", 40)
	s.Tasks = func(journal.Store, string) ([]Task, error) {
		return []Task{{Text: "begin", Done: true}, {Text: "read", Done: true}, {Text: "write", Depth: 1, Doing: true}, {Text: strings.TrimSpace(long), Done: true}}, nil
	}
	did := func(n int, tasks ...string) {
		r.add(n, 1, &loop.IterationStarted{Max: 10})
		r.add(n, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: "ok", Work: loop.Work{Plan: &loop.Plan{Ticked: tasks}}}})
	}
	did(1, "read", "write")
	did(2, "read")                                     // the first was put back
	did(3, text.Shorten(strings.TrimSpace(long), 100)) // as much as the journal keeps
	var all struct{ Tasks []Task }
	s.get("/api/runs/"+r.Meta().ID+"/tasks", &all)
	var by []int
	for _, task := range all.Tasks {
		by = append(by, task.Iteration)
	}
	if len(by) != 4 || by[0] != 0 || by[1] != 2 || by[2] != 0 || by[3] != 3 {
		t.Errorf("the tasks were done by the iterations %v, want [0 2 0 3]: %+v", by, all.Tasks)
	}
	var rows iterationRows
	s.get("/api/runs/"+r.Meta().ID+"/iterations", &rows)
	if len(rows.Rows) != 3 || len(rows.Rows[0].Did) != 2 {
		t.Errorf("the rows are %+v", rows.Rows)
	}
}

func TestATitleHasNoMarksOfAHeading(t *testing.T) {
	for prompt, want := range map[string]string{
		"# Greet everybody": "Greet everybody", "## Greet\n\nall #1": "Greet all #1", "Greet": "Greet", "": "", "#": "",
	} {
		if got := titleOf(prompt); got != want {
			t.Errorf("titleOf(%q) = %q, want %q", prompt, got, want)
		}
	}
}

// A run that tries again in a moment would jump to the top of the page and back.
func TestAShortWaitNeedsNobody(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	for _, tt := range []struct {
		wait  time.Duration
		group string
	}{{5 * time.Second, isLive}, {2 * time.Hour, needsYou}} {
		r.add(0, 0, &loop.RunWaiting{Why: "back-off", For: loop.Millis(tt.wait), Until: time.Now().Add(tt.wait)})
		s.fleet.looked = time.Time{}
		var o Overview
		s.get("/api/overview", &o)
		if o.Runs[0].Group != tt.group || o.Runs[0].State != loop.Waiting {
			t.Errorf("a run that waits %v is %+v, want group %s", tt.wait, o.Runs[0].Standing, tt.group)
		}
	}
}

func TestTheRedlineOfARunIsKnown(t *testing.T) {
	s := newScene(t)
	r, err := s.store.Create(journal.Meta{Procedure: "build", Tree: s.store.Tree, StartedAt: time.Now(), Config: json.RawMessage(`{"context.redline":{"value":72,"layer":"default"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	(&written{Run: r, t: t}).add(0, 0, &loop.RunStarted{Name: r.Meta().Name})
	var line ledger.Timeline
	s.get("/api/runs/"+r.Meta().ID+"/timeline", &line)
	if line.Redline != 72 {
		t.Errorf("the redline is %d, want 72", line.Redline)
	}
}
