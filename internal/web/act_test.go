package web

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// post sends what a page wants.
func (s *scene) post(path, body string) (int, map[string]any) {
	s.t.Helper()
	w := s.do(httptest.NewRequest("POST", "http://127.0.0.1:4117"+path, strings.NewReader(body)), func(r *http.Request) {
		s.known(r)
		r.Header.Set(header, "1")
		r.Header.Set("Origin", "http://127.0.0.1:4117")
	})
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		s.t.Fatalf("POST %s: %d %q", path, w.Code, w.Body)
	}
	return w.Code, out
}

// answering gives a run a control socket that takes commands as a runner does.
func (s *scene) answering(r *written, do func(control.Command) control.Answer) {
	s.t.Helper()
	server, err := control.Serve(control.Options{
		ID: r.Meta().ID, Folders: []string{shortDir(s.t)},
		Run:  func() view.Status { return view.Status{Position: view.Position{State: loop.Running}} },
		Do:   func(_ context.Context, c control.Command) control.Answer { return do(c) },
		Past: func(after int64) iter.Seq2[loop.Event, error] { return s.store.AllEvents(r.Meta().Name, after) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(server.Close)
	r.held(s.store, server.Address())
}

// shortDir is a folder whose name leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestCommandsGoThroughTheSocketOfTheRun(t *testing.T) {
	s := newScene(t)
	r := s.run()
	var heard []string
	s.answering(r, func(c control.Command) control.Answer {
		heard = append(heard, fmt.Sprintf("%s %s%s%s %v", c.Command, c.Text, c.Key, c.Value, c.NoWait))
		if c.Command == control.Resume {
			return control.Answer{State: loop.Running, Why: "there is nothing to resume"}
		}
		return control.Answer{OK: true, Effect: "the next agent is told", State: loop.Running}
	})
	at := "/api/runs/" + r.Meta().ID + "/commands"
	status, got := s.post(at, `{"command": "note", "text": "mind the gap"}`)
	if status != 200 || got["effect"] != "the next agent is told" || got["equal"] != "refrain -C "+s.Here+" note build-1 'mind the gap'" {
		t.Errorf("a note: %d %v", status, got)
	}
	status, got = s.post(at, `{"command": "resume"}`)
	if status != 409 || got["ok"] != false || got["why"] != "there is nothing to resume" {
		t.Errorf("what the run refuses: %d %v", status, got)
	}
	status, got = s.post(at, `{"command": "dance"}`)
	if status != 409 || !strings.Contains(got["why"].(string), `no command "dance"`) {
		t.Errorf("a command that nobody knows: %d %v", status, got)
	}
	status, _ = s.post(at, `{"command": "raise", "key": "loop.max_iterations", "value": "20", "wait": true}`)
	if want := "note mind the gap true, resume  true, raise loop.max_iterations20 false"; status != 200 || strings.Join(heard, ", ") != want {
		t.Errorf("%d, the run heard %q, want %q", status, heard, want)
	}
}

func TestCommandsForARunThatIsOver(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.end(loop.Stopped)
	status, got := s.post("/api/runs/"+r.Meta().ID+"/commands", `{"command": "pause"}`)
	if status != 409 || got["why"] != "build-1 is not running" || got["state"] != "stopped" {
		t.Errorf("%d %v", status, got)
	}
}

func TestRequestsThatAreNotUnderstood(t *testing.T) {
	s := newScene(t)
	r := s.run()
	at := "/api/runs/" + r.Meta().ID
	for _, tt := range []struct {
		path, body string
		status     int
		says       string
	}{
		{at + "/commands", `{"command": `, 400, "not understood"},
		{at + "/commands", `{"command": "pause", "sudo": true}`, 400, "sudo"},
		{at + "/commands", `{"text": "` + strings.Repeat("x", maxBody) + `"}`, 413, "at most"},
		{at + "/rollback", `{}`, 400, "an iteration"},
		{at + "/rollback", `{"iteration": -1}`, 400, "an iteration"},
		{at + "/rollback", `{"iteration": 1, "checkpoint": "c1"}`, 400, "an iteration"},
		{"/api/runs/loop_none/resume", `{}`, 404, "no run"},
	} {
		status, got := s.post(tt.path, tt.body)
		if status != tt.status || !strings.Contains(fmt.Sprint(got["why"]), tt.says) {
			t.Errorf("POST %s %.60s: %d %v, want %d and %q", tt.path, tt.body, status, got, tt.status, tt.says)
		}
	}
}

// typed is a program that notes what is typed.
type typed struct {
	lines []string
	err   error
}

func (p *typed) Start(_ context.Context, tree string, args []string) (run, id string, err error) {
	p.lines = append(p.lines, tree+": "+strings.Join(args, " "))
	return "build-1", "loop_1", p.err
}

func (p *typed) Check(_ context.Context, tree string, args []string) ([]byte, error) {
	p.lines = append(p.lines, "check "+tree+": "+strings.Join(args, " "))
	return []byte(`{"command": "claude -p", "tokens": 9, "prompt": "Do it", "warnings": [{"text": "mind it"}]}`), p.err
}

func (p *typed) Offers(context.Context, string) (Offers, error) {
	return Offers{Procedures: []Procedure{{Name: "build"}}, Agent: "claude"}, p.err
}

// What a page starts is what a person would type, and nothing of it is taken for a flag.
func TestStart(t *testing.T) {
	s := newScene(t)
	p := &typed{}
	s.Program = p
	status, got := s.post("/api/start", `{"procedure": "build", "prompt": "--yolo", "agent": "claude", "promise": "DONE", "gates": ["go test ./..."], "max_iterations": 10, "max_cost_usd": 10, "ask": true}`)
	want := s.Here + ": run build --prompt=--yolo --agent=claude --until=DONE --gate=go test ./... --max-iterations=10 --max-cost=10 --ask"
	if status != 200 || len(p.lines) != 1 || p.lines[0] != want || got["id"] != "loop_1" {
		t.Errorf("%d %v: %q, want %q", status, got, p.lines, want)
	}
	if want := "refrain -C " + s.Here + " run build --prompt=--yolo --agent=claude --until=DONE '--gate=go test ./...' --max-iterations=10 --max-cost=10 --ask"; got["equal"] != want {
		t.Errorf("to type is %q, want %q", got["equal"], want)
	}
	status, got = s.post("/api/start", `{"command": ["sh", "-c", "true"], "check": true}`)
	if status != 200 || p.lines[1] != "check "+s.Here+": run -- sh -c true" || got["command"] != "claude -p" || fmt.Sprint(got["warnings"]) != "[mind it]" {
		t.Errorf("%d %v: %q", status, got, p.lines)
	}
	p.err = &Refusal{"no prompt: PROMPT.md is missing", "run \"refrain init\""}
	status, got = s.post("/api/start", `{}`)
	if status != 422 || got["why"] != "no prompt: PROMPT.md is missing" || got["hint"] != "run \"refrain init\"" || got["equal"] != "refrain -C "+s.Here+" run" {
		t.Errorf("what the command line refuses: %d %v", status, got)
	}
	// What somebody typed is not for the page to understand, and never left out.
	p.err, p.lines = nil, nil
	status, got = s.post("/api/start", `{"max_iterations": "abc", "max_cost_usd": "12,50", "max_time": "8 hours", "max_tokens": 0, "command_line": "sh -c 'a b'"}`)
	if want := s.Here + ": run --max-iterations=abc --max-time=8 hours --max-cost=12,50 --max-tokens=0 -- sh -c a b"; status != 200 || len(p.lines) != 1 || p.lines[0] != want {
		t.Errorf("%d %v: %q, want %q", status, got, p.lines, want)
	}
	p.lines = make([]string, 3)
	if status, got = s.post("/api/start", `{"max_cost_usd": null}`); status != 400 || len(p.lines) != 3 {
		t.Errorf("a limit of nothing: %d %v", status, got)
	}
	if status, got = s.post("/api/start", `{"command_line": "sh 'unclosed"}`); status != 422 || !strings.Contains(fmt.Sprint(got["why"]), "unclosed") || len(p.lines) != 3 {
		t.Errorf("a command that nobody can read: %d %v", status, got)
	}
	for _, body := range []string{`{"tree": "/etc"}`, `{"tree": "` + s.Here + `/.."}`, `{"procedure": "--yolo"}`, `{"procedure": "build --yolo"}`} {
		if status, got = s.post("/api/start", body); status != 422 || len(p.lines) != 3 {
			t.Errorf("%s: %d %v, typed %q", body, status, got, p.lines)
		}
	}
}

func TestResume(t *testing.T) {
	s := newScene(t)
	p := &typed{}
	s.Program = p
	r := s.run()
	r.end(loop.Exhausted)
	status, got := s.post("/api/runs/"+r.Meta().ID+"/resume", `{"max_iterations": 20, "now": true}`)
	if want := s.Here + ": resume build-1 --max-iterations=20 --now"; status != 200 || p.lines[0] != want {
		t.Errorf("%d %v: %q, want %q", status, got, p.lines, want)
	}
}

func TestOffers(t *testing.T) {
	s := newScene(t)
	s.Program = &typed{}
	var o offered
	s.get("/api/start", &o)
	if !o.Ready.OK || o.Tree != s.Here || len(o.Procedures) != 1 || len(o.Trees) != 1 {
		t.Errorf("offered is %+v", o)
	}
	s.run().held(s.store, "")
	s.fleet.forgetLook()
	s.get("/api/start", &o)
	if o.Ready.OK || !strings.Contains(o.Ready.Why, "build-1 is live") || o.Trees[0].Busy != "build-1" {
		t.Errorf("beside a live run: %+v", o)
	}
}

// A process of a run may look, with the token, and steer nothing: on Linux it is known
// by the socket that it holds.
func TestAnAgentIsNotLetIn(t *testing.T) {
	s := newScene(t)
	p := &typed{}
	s.Program = p
	asked := 0
	s.Inside = func(pid int) bool {
		asked = pid
		return true
	}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/start", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	s.known(r)
	r.Host = "127.0.0.1:4117"
	r.Header.Set(header, "1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if asked == 0 {
		t.Skip("here nobody can tell who is at the other end")
	}
	if asked != os.Getpid() || answer.StatusCode != http.StatusForbidden || len(p.lines) > 0 {
		t.Errorf("process %d, answered %d, typed %q; want %d, refused", asked, answer.StatusCode, p.lines, os.Getpid())
	}
}

// A live run is followed over its socket, and the pages share one connection.
func TestPagesShareOneConnection(t *testing.T) {
	s := newScene(t)
	r := s.run()
	s.answering(r, nil)
	at := "/api/runs/" + r.Meta().ID + "/stream"
	one, two := s.listen(at, nil), s.listen(at, nil)
	var head Run
	one.next("state", &head)
	two.next("state", &head)
	s.channels.mu.Lock()
	open := len(s.channels.open)
	s.channels.mu.Unlock()
	if open != 1 {
		t.Errorf("%d channels are open, want 1", open)
	}
	if !head.Actions["pause"].OK || head.Actions["approve"].OK || head.Actions["approve"].Why == "" {
		t.Errorf("the actions are %+v", head.Actions)
	}
}
