package mcp

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// scene is a work tree with runs, and what a server is told of it.
type scene struct {
	testing.TB
	store journal.Store
	Options
}

func newScene(t testing.TB) *scene {
	t.Helper()
	dir := t.TempDir()
	return sceneOf(t, journal.Store{Dir: filepath.Join(dir, "state"), Tree: filepath.Join(dir, "tree")})
}

// twoScenes are two work trees of one repository, which share the state folder.
func twoScenes(t testing.TB) (here, elsewhere *scene) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	var both [2]*scene
	for i, name := range []string{"here", "elsewhere"} {
		tree := filepath.Join(root, name)
		if err := os.Mkdir(tree, 0o700); err != nil {
			t.Fatal(err)
		}
		store, err := journal.OpenIn(filepath.Join(root, "state"), tree)
		if err == nil {
			store, err = store.Claim()
		}
		if err != nil {
			t.Fatal(err)
		}
		both[i] = sceneOf(t, store)
	}
	return both[0], both[1]
}

func sceneOf(t testing.TB, store journal.Store) *scene {
	s := &scene{TB: t, store: store}
	s.Options = Options{
		Version: "1.2.3",
		Store:   func() (journal.Store, error) { return s.store, nil },
		Look:    lookAt,
		Follow: func(context.Context, journal.Store, string, int64) iter.Seq2[loop.Event, error] {
			return func(func(loop.Event, error) bool) { t.Error("nothing here is to be followed") }
		},
	}
	return s
}

// lookAt folds what is known of a run, and asks the lock whether it is alive.
func lookAt(store journal.Store, e journal.Entry) *view.Run {
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

// run begins a run of procedure build.
func (s *scene) run() *recorder {
	s.Helper()
	r, err := s.store.Create(journal.Meta{Procedure: "build", StartedAt: noon})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { r.Close() })
	name := r.Meta().Name
	rec := &recorder{scene: s, Run: r, name: name}
	rec.tell(&loop.RunStarted{Name: name, Procedure: "build", Agent: "claude", Limits: loop.Limits{Iterations: 9}})
	return rec
}

// recorder writes what happens in a run.
type recorder struct {
	*scene
	*journal.Run
	name          string
	iter, attempt int
	state         loop.State
}

// tell writes an event of the attempt that is under way, or of none.
func (r *recorder) tell(p loop.Payload) loop.Event {
	e := loop.Event{Time: noon, Iter: r.iter, Attempt: r.attempt, Payload: p}
	r.state = r.state.Sum(e)
	return r.Append(e)
}

// begin opens an attempt.
func (r *recorder) begin(iter, attempt int) {
	r.iter, r.attempt = iter, attempt
	r.Begin(iter, attempt)
	r.tell(&loop.IterationStarted{Max: 9})
}

// finish closes it.
func (r *recorder) finish(o loop.Outcome, v loop.Verdict) {
	r.tell(&loop.IterationFinished{Outcome: o, Verdict: v, State: r.state.Add(o)})
	r.Attempt(r.iter, r.attempt).Close()
	r.iter, r.attempt = 0, 0
}

// end ends the run.
func (r *recorder) end(s loop.Status) {
	r.tell(&loop.RunFinished{State: s, Reason: loop.ByPromise, Why: "for a reason"})
}

// live makes the run one that is alive and takes commands.
func (r *recorder) live(do func(control.Command) control.Answer) {
	r.Helper()
	dir, err := os.MkdirTemp("", "m") // its path leaves room for the name of a socket
	if err != nil {
		r.Fatal(err)
	}
	server, err := control.Serve(control.Options{
		ID: r.Meta().ID, Folders: []string{dir},
		Run:  func() view.Status { return view.Status{Run: r.name, Position: view.Position{State: loop.Running}} },
		Do:   func(_ context.Context, c control.Command) control.Answer { return do(c) },
		Past: func(after int64) iter.Seq2[loop.Event, error] { return r.store.AllEvents(r.name, after) },
	})
	if err != nil {
		r.Fatal(err)
	}
	r.held(server.Address())
	r.Cleanup(func() {
		server.Close()
		os.RemoveAll(dir)
	})
}

// held makes the run one whose runner is there.
func (r *recorder) held(socket string) {
	r.Helper()
	lock, err := r.store.Lock(journal.Holder{PID: os.Getpid(), Run: r.name, Socket: socket})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { lock.Unlock() })
}

// client connects a client to a server for the scene.
func (s *scene) client() *sdk.ClientSession {
	s.Helper()
	server, err := newServer(s.Options, nil)
	if err != nil {
		s.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	served, err := server.Connect(context.Background(), there, nil)
	if err != nil {
		s.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		c.Close()
		served.Wait()
	})
	return c
}

// call calls a tool and reads its answer into out.
func (s *scene) call(name string, arguments map[string]any, out any) {
	s.Helper()
	r, err := s.client().CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		s.Fatalf("%s: %v", name, err)
	}
	if r.IsError {
		s.Fatalf("%s failed: %s", name, said(r))
	}
	if err := json.Unmarshal([]byte(said(r)), out); err != nil {
		s.Fatalf("%s: %v", name, err)
	}
}

// fails calls a tool that must fail with these words.
func (s *scene) fails(name string, arguments map[string]any, words ...string) {
	s.Helper()
	r, err := s.client().CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		s.Fatalf("%s: %v, want an error that the agent is told", name, err)
	}
	if !r.IsError {
		s.Fatalf("%s worked: %s", name, said(r))
	}
	for _, want := range words {
		if !strings.Contains(said(r), want) {
			s.Errorf("%s says %q, want %q", name, said(r), want)
		}
	}
}

func said(r *sdk.CallToolResult) string {
	var all strings.Builder
	for _, c := range r.Content {
		all.WriteString(c.(*sdk.TextContent).Text)
	}
	return all.String()
}
