package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// elsewhere makes the scene the page of a fleet, whose runs take commands there. When the
// fleet has no more to do with them, over is set.
func (s *scene) elsewhere(do func(run string, c control.Command) (control.Answer, error)) (over *atomic.Bool) {
	s.t.Helper()
	over = new(atomic.Bool)
	look := s.Look
	s.Look = func(store journal.Store, e journal.Entry) *view.Run {
		run := look(store, e)
		run.Away = &view.Away{Called: "nightly", Remote: "https://git.example.com/team/site.git", Branch: "refrain/nightly", Who: "leg 2, with w1", Over: over.Load()}
		return run
	}
	s.LookClosely = s.Look
	s.Stores = func() ([]journal.Store, error) {
		return []journal.Store{journal.HeldBy(s.store, func() (journal.Holder, bool) {
			return journal.Holder{Run: "build-1"}, !over.Load()
		})}, nil
	}
	s.Do = func(_ context.Context, _ journal.Store, run string, c control.Command) (control.Answer, error) {
		return do(run, c)
	}
	s.fleet.of = s.Options
	return over
}

func TestARunElsewhereIsShownAndSteeredThere(t *testing.T) {
	s := newScene(t)
	var heard []string
	over := s.elsewhere(func(run string, c control.Command) (control.Answer, error) {
		heard = append(heard, run+" "+c.Command+" "+c.Text)
		if c.Command == control.Skip {
			return control.Answer{}, &control.Refused{Command: c.Command, State: loop.Parked, Why: "no agent is running"}
		}
		return control.Answer{OK: true, Effect: "its next leg hears it", State: loop.Parked}, nil
	})
	r := s.run()
	r.add(0, 0, &loop.RunParked{Why: "the worker leaves"})
	id := r.Meta().ID

	var o Overview
	s.get("/api/overview", &o)
	if len(o.Runs) != 1 || o.Starts {
		t.Fatalf("overview %+v", o)
	}
	row := o.Runs[0]
	if row.Fleet != "leg 2, with w1" || !row.Rests || row.Group != isLive {
		t.Errorf("row %+v", row)
	}
	if row.Run != "nightly" || row.Repository != "site" || row.Tree != "https://git.example.com/team/site.git, branch refrain/nightly" {
		t.Errorf("row %+v", row)
	}

	var head Run
	s.get("/api/runs/"+id, &head)
	for c, want := range map[string]bool{"resume": true, "pause": true, "note": true, "raise": true, "stop": true, "skip": false, "restart": false, "rollback": false} {
		if head.Actions[c].OK != want {
			t.Errorf("%s: %+v, want %v", c, head.Actions[c], want)
		}
	}
	if why := head.Actions["restart"].Why; !strings.Contains(why, "elsewhere") {
		t.Errorf("restart: %q", why)
	}

	status, out := s.post("/api/runs/"+id+"/commands", `{"command": "note", "text": "hello"}`)
	if status != http.StatusOK || out["effect"] != "its next leg hears it" || out["equal"] != "refrain fleet note nightly hello" {
		t.Errorf("note: %d %v", status, out)
	}
	if status, out = s.post("/api/runs/"+id+"/commands", `{"command": "skip"}`); status != http.StatusConflict || out["why"] != "no agent is running" {
		t.Errorf("skip: %d %v", status, out)
	}
	if want := []string{"build-1 note hello", "build-1 skip "}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	for _, path := range []string{"/api/start", "/api/runs/" + id + "/resume"} {
		if status, out := s.post(path, `{}`); status != http.StatusNotFound || !strings.Contains(fmt.Sprint(out["hint"]), "refrain fleet submit") {
			t.Errorf("POST %s: %d %v", path, status, out)
		}
	}

	if status, out := s.post("/api/runs/"+id+"/rollback", `{"iteration": 0, "confirm": true}`); status != http.StatusConflict || !strings.Contains(fmt.Sprint(out["why"]), "elsewhere") {
		t.Errorf("rollback: %d %v", status, out)
	}

	// When the fleet has no more to do with it, it hears nothing.
	over.Store(true)
	s.fleet.forgetLook()
	if status, _ = s.post("/api/runs/"+id+"/commands", `{"command": "note", "text": "hello"}`); status != http.StatusConflict {
		t.Errorf("a note for a run that is over: %d", status)
	}
}

func TestWhoHasARunChangesOnItsPage(t *testing.T) {
	s := newScene(t)
	over := s.elsewhere(nil)
	r := s.run()
	p := s.listen("/api/runs/"+r.Meta().ID+"/stream", nil)
	var head struct{ Status view.Status }
	p.next("state", &head)
	over.Store(true)
	for head.Status.Next == nil || !strings.HasPrefix(head.Status.Next[0], "refrain carry fetch") {
		p.next("state", &head) // or the test ends it
	}
}

func TestARunWithoutRecordsIsListedAndHasNoPage(t *testing.T) {
	s := newScene(t)
	s.elsewhere(nil)
	r := s.run()
	coming := view.New()
	coming.Name, coming.ID, coming.State = "later", "loop_later", "queued"
	coming.Away = &view.Away{Called: "later", Remote: "git@example.com:team/shop", Who: "it waits for a worker of queue team"}
	list := []*view.Run{coming}
	s.Coming = func() []*view.Run { return list }
	s.fleet.of = s.Options

	var o Overview
	s.get("/api/overview", &o)
	if len(o.Runs) != 2 {
		t.Fatalf("runs %+v", o.Runs)
	}
	i := slices.IndexFunc(o.Runs, func(r Row) bool { return r.ID == "loop_later" })
	if i < 0 || o.Runs[i].State != "queued" || o.Runs[i].Group != isLive || o.Runs[i].Repository != "shop" || o.Runs[i].Run != "later" || o.Runs[i].Why != "it waits for a worker of queue team" {
		t.Errorf("runs %+v", o.Runs)
	}
	for _, path := range []string{"/api/runs/loop_later", "/api/runs/loop_later/story", "/api/runs/loop_later/gates"} {
		if w := s.ask("GET", path, s.known); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "later has not begun: it waits for a worker of queue team") {
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := s.ask("GET", "/runs/loop_later", s.known); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "later has not begun") {
		t.Errorf("its page: %d %s", w.Code, w.Body)
	}

	// It begins: its records take the place of the word for it.
	list = nil
	s.fleet.forgetLook()
	s.get("/api/overview", &o)
	if len(o.Runs) != 1 || o.Runs[0].ID != r.Meta().ID {
		t.Errorf("runs %+v", o.Runs)
	}
	s.get("/api/runs/"+r.Meta().ID, new(Run))
}
