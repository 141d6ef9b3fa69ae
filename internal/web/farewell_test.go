package web

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A server that ends says first how the run stands: a page that is opened beside a run
// ends with it, and must not say for ever that it works.
func TestAServerThatEndsSaysHowTheRunStands(t *testing.T) {
	s := newScene(t)
	s.Farewell = "that is all"
	r := s.run().held(s.store, "")
	at := "/api/runs/" + r.Meta().ID + "/stream"
	page, all := s.listen(at, nil), s.listen("/api/stream", nil)
	var head Run
	page.next("state", &head)
	if head.Row.State != loop.Running {
		t.Fatalf("it begins as %s", head.Row.State)
	}
	var o Overview
	all.next("snapshot", &o)

	r.end(loop.Stopped)
	_ = r.lock.Unlock()
	s.close()
	var bye struct{ Why string }
	for head.Row.State != loop.Stopped {
		page.next("state", &head)
	}
	page.next("bye", &bye)
	if bye.Why != s.Farewell {
		t.Errorf("the page was told %q", bye.Why)
	}
	var news fleetNews
	for len(news.Changed) == 0 || news.Changed[0].State != loop.Stopped {
		all.next("runs", &news)
	}
	all.next("bye", &bye)
}
