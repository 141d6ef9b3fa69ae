package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// scene is a server over real records.
type scene struct {
	*Server
	t     *testing.T
	store journal.Store
}

func newScene(t *testing.T) *scene {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	store, err := journal.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if store, err = store.Claim(); err != nil {
		t.Fatal(err)
	}
	look := func(store journal.Store, e journal.Entry) *view.Run {
		run := view.New()
		if e.Last != nil {
			run.Apply(e.First)
			run.Apply(*e.Last)
		}
		for _, event := range e.Tail {
			run.Apply(event)
		}
		if store.Status(e) == loop.Crashed {
			run.Died()
		}
		return run
	}
	s, err := New(Options{
		Version: "1.2.3", Here: store.Tree,
		Access: Access{Token: "the-token-of-this-test", Key: []byte("key"), Port: 4117},
		Stores: func() ([]journal.Store, error) { return []journal.Store{store}, nil },
		Look:   look, LookClosely: look,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &scene{s, t, store}
}

// ask sends a request as a browser of this machine would.
func (s *scene) ask(method, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(method, "http://127.0.0.1:4117"+path, nil), change)
}

func (s *scene) do(r *http.Request, change func(*http.Request)) *httptest.ResponseRecorder {
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// known makes it a browser that was let in.
func (s *scene) known(r *http.Request) {
	r.AddCookie(&http.Cookie{Name: s.Access.cookie(), Value: s.Access.sign(time.Now().Add(time.Hour).Unix())})
}

// get reads an answer.
func (s *scene) get(path string, into any) {
	s.t.Helper()
	r := s.ask("GET", path, s.known)
	if r.Code != http.StatusOK {
		s.t.Fatalf("GET %s: %d %s", path, r.Code, r.Body)
	}
	if err := json.Unmarshal(r.Body.Bytes(), into); err != nil {
		s.t.Fatalf("GET %s: %v", path, err)
	}
}

// written is a run that is being written.
type written struct {
	*journal.Run
	t    *testing.T
	lock *journal.Lock
	last int64 // the number of the last event
}

// run begins a run.
func (s *scene) run() *written {
	s.t.Helper()
	r, err := s.store.Create(journal.Meta{Procedure: "build", Tree: s.store.Tree, StartedAt: time.Now()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = r.Close() })
	w := &written{Run: r, t: s.t}
	w.add(0, 0, &loop.RunStarted{Name: r.Meta().Name, Procedure: "build", Agent: "claude", Limits: loop.Limits{Iterations: 10}, Prompt: "Do <b>it</b>"})
	return w
}

func (w *written) add(iter, attempt int, p loop.Payload) loop.Event {
	e := w.Append(loop.Event{Time: time.Now(), Iter: iter, Attempt: attempt, Payload: p})
	w.last = e.Seq
	return e
}

// held has a runner hold the work tree for the run.
func (w *written) held(store journal.Store, socket string) *written {
	w.t.Helper()
	lock, err := store.Lock(journal.Self(w.Meta().Name, socket))
	if err != nil {
		w.t.Fatal(err)
	}
	w.lock = lock
	w.t.Cleanup(func() { _ = lock.Unlock() })
	return w
}

func (w *written) end(s loop.Status) {
	w.add(0, 0, &loop.RunFinished{State: s, Reason: "asked", Why: "somebody asked for it"})
}

// page is a stream as a browser gets it.
type page struct {
	t     *testing.T
	lines *bufio.Scanner
	last  string // id
}

// listen opens a stream over a real connection.
func (s *scene) listen(path string, change func(*http.Request)) *page {
	s.t.Helper()
	server := httptest.NewServer(s.Handler())
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	s.t.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.known(r)
	r.Host = "127.0.0.1:4117"
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %v %v", path, answer, err)
	}
	s.t.Cleanup(func() { _ = answer.Body.Close() })
	p := &page{t: s.t, lines: bufio.NewScanner(answer.Body)}
	p.lines.Buffer(nil, 16<<20)
	return p
}

// next is the next event of a kind. Others are passed over.
func (p *page) next(kind string, into any) {
	p.t.Helper()
	name := ""
	for p.lines.Scan() {
		field, value, _ := strings.Cut(p.lines.Text(), ": ")
		switch {
		case field == "id":
			p.last = value
		case field == "event":
			name = value
		case field == "data" && name == kind:
			if err := json.Unmarshal([]byte(value), into); err != nil {
				p.t.Fatalf("read %s: %v", kind, err)
			}
			return
		}
	}
	p.t.Fatalf("no %s came: %v", kind, p.lines.Err())
}
