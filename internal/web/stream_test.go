package web

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A run says that it is over while it still holds its work tree. When it has let go, the
// page hears that it can go on, though no event tells.
func TestWhatCanBeDoneIsSaidAnewWhenTheTreeIsFree(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	page := s.listen("/api/runs/"+r.Meta().ID+"/stream", nil)
	var head Run
	page.next("state", &head)
	r.end(loop.Stopped)
	for head.Row.State != loop.Stopped {
		page.next("state", &head)
	}
	if able := head.Actions["restart"]; able.OK || able.Why != "build-1 is live in this work tree" {
		t.Fatalf("while it holds its work tree: %+v", able)
	}
	_ = r.lock.Unlock()
	page.next("state", &head)
	if able := head.Actions["restart"]; !able.OK {
		t.Errorf("when it has let go: %+v", able)
	}
	// And who comes later is told the same.
	late := s.listen("/api/runs/"+r.Meta().ID+"/stream", nil)
	late.next("state", &head)
	if able := head.Actions["restart"]; !able.OK {
		t.Errorf("later: %+v", able)
	}
}
