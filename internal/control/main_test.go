package control

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// shortDir is a folder of our own whose path leaves room for the name of a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// text is an event of an agent's.
func text(seq int64, words string) loop.Event {
	return loop.Event{Seq: seq, Time: noon, Run: "loop_1", Iter: 1, Attempt: 1, Payload: &loop.AgentText{Text: words}}
}

func started(seq int64) loop.Event {
	return loop.Event{Seq: seq, Time: noon, Run: "loop_1", Payload: &loop.RunStarted{Name: "build-1"}}
}

func finished(seq int64) loop.Event {
	return loop.Event{Seq: seq, Time: noon, Run: "loop_1", Payload: &loop.RunFinished{State: loop.Done}}
}

// noPast is a run of which nothing was written down.
func noPast(int64) iter.Seq2[loop.Event, error] { return func(func(loop.Event, error) bool) {} }

// scene is a run whose state the test sets, with a server and a client.
type scene struct {
	*Server
	client *Client

	mu    sync.Mutex
	state loop.Status
}

func (s *scene) set(state loop.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

func (s *scene) status() view.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return view.Status{Run: "build-1", ID: "loop_1", Position: view.Position{State: s.state}}
}

// serving starts a server; change alters what it serves.
func serving(t testing.TB, change func(*Options)) *scene {
	t.Helper()
	s := &scene{state: loop.Running}
	o := Options{
		ID: "loop_1", Folders: []string{shortDir(t)}, Run: s.status, Past: noPast,
		Do: func(context.Context, Command) Answer { return Answer{OK: true} },
	}
	if change != nil {
		change(&o)
	}
	server, err := Serve(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	s.Server, s.client = server, Dial(server.Address())
	return s
}

// record is a run's journal on the disk.
func record(t testing.TB) (journal.Store, *journal.Run) {
	t.Helper()
	dir := t.TempDir()
	s := journal.Store{Dir: filepath.Join(dir, "state"), Tree: filepath.Join(dir, "tree")}
	r, err := s.Create(journal.Meta{Procedure: "build", StartedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return s, r
}
