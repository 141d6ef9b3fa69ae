package web

import (
	"net/http"
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

// Of those that need somebody, who asks comes first, then who waits, however old.
func TestQuestionsComeFirst(t *testing.T) {
	s := newScene(t)
	row := func(state loop.Status, asked *loop.RunAsked, age time.Duration) *ship {
		one := &ship{row: Row{ID: string(state) + age.String(), Asked: asked}}
		one.row.Group, one.row.State, one.row.StartedAt = needsYou, state, time.Now().Add(-age)
		return one
	}
	for _, one := range []*ship{row(loop.Crashed, nil, time.Minute), row(loop.Paused, nil, time.Hour), row(loop.Waiting, &loop.RunAsked{}, 2*time.Hour), row(loop.Aborted, nil, time.Second)} {
		s.fleet.byID[one.row.ID] = one
	}
	var got []string
	list, _ := s.fleet.rows()
	for _, one := range list {
		got = append(got, string(one.row.State))
	}
	if want := "waiting paused aborted crashed"; strings.Join(got, " ") != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

// A person gets a page, a program gets JSON.
func TestWhatIsNowhereIsToldToPeople(t *testing.T) {
	s := newScene(t)
	for path, page := range map[string]bool{"/nosuch": true, "/runs/loop_none": true, "/api/nosuch": false} {
		got := s.ask("GET", path, func(r *http.Request) {
			s.known(r)
			r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		})
		if is := strings.HasPrefix(got.Header().Get("Content-Type"), "text/html"); got.Code != http.StatusNotFound || is != page || strings.Contains(got.Body.String(), "connecting") {
			t.Errorf("GET %s: %d %s\n%s", path, got.Code, got.Header().Get("Content-Type"), got.Body)
		}
	}
	if got := s.ask("GET", "/nosuch", s.known); !strings.HasPrefix(got.Header().Get("Content-Type"), "application/json") {
		t.Errorf("a program gets %s", got.Header().Get("Content-Type"))
	}
}

// A wish to pause while the run asks is shown, and can be taken back.
func TestAPauseWhileItAsksIsShown(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "/run/sock")
	r.add(0, 0, &loop.RunAsked{Question: "run iteration 1?", Choices: []string{"continue", "stop"}})
	r.add(0, 0, &loop.CommandReceived{Command: "pause", Effect: "pausing when the question is answered"})
	var head Run
	s.get("/api/runs/"+r.Meta().ID, &head)
	if head.Next != "it pauses when the question is answered" || head.Actions["pause"].OK || !head.Actions["resume"].OK {
		t.Errorf("next is %q, pause %+v, resume %+v", head.Next, head.Actions["pause"], head.Actions["resume"])
	}
}

func TestARowNamesTheSandboxAndWhatItRefused(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.add(0, 0, &loop.RunResumed{Sandbox: &loop.Sandbox{Mode: "landlock", Why: "no user\x1b[2J namespaces"}})
	for _, name := range []string{"pypi.org", "example.com"} {
		r.add(0, 0, &loop.SandboxRefused{What: loop.RefusedHost, Name: name})
	}
	s.run().end(loop.Done)
	var o Overview
	s.get("/api/overview", &o)
	for _, row := range o.Runs {
		want := Row{Run: row.Run}
		if row.Run == r.Meta().Name {
			want.Sandbox, want.Outside = "landlock (no user namespaces)", "2 hosts"
		}
		if row.Sandbox != want.Sandbox || row.Outside != want.Outside {
			t.Errorf("%s: sandbox %q, refused %q; want %q and %q", row.Run, row.Sandbox, row.Outside, want.Sandbox, want.Outside)
		}
	}
	if len(o.Runs) != 2 {
		t.Errorf("%d runs are listed", len(o.Runs))
	}
}
