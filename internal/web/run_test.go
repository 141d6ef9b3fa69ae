package web

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/testlist"
	"github.com/refrain-loop/refrain/internal/view"
)

const hostile = "<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://evil.example/y.png) \x1b[31mred\x1b]0;title\x07"

// attempt writes an attempt of which everything is hostile.
func (w *written) attempt(n int) {
	w.add(n, 1, &loop.IterationStarted{Max: 10})
	a := w.Attempt(n, 1)
	a.WritePrompt("Do it\n" + hostile)
	_, _ = a.Stdout().Write([]byte(hostile))
	log, _ := a.GateFile("test", "clean", ".log")
	_, _ = log.Write([]byte(hostile))
	_ = log.Close()
	list, _ := a.GateFile("test", "clean", testlist.Kind)
	_ = testlist.Look{Gate: hostile, Where: "clean", With: hostile, Framework: hostile, Total: 2, Tests: []loop.Test{{Name: hostile, Status: loop.StatusFailed, Message: hostile}}}.Write(list)
	_ = list.Close()
	w.add(n, 1, &loop.IterationPhase{Phase: loop.Executing})
	w.add(n, 1, &loop.AgentText{Text: hostile})
	w.add(n, 1, &loop.AgentTool{ID: "t1", Name: "Bash", Input: hostile, Shell: true})
	w.add(n, 1, &loop.AgentToolResult{ID: "t1", Name: "Bash", Output: hostile, Failed: true})
	w.add(n, 1, &loop.TestsSeen{Tests: loop.Tests{Passed: 3, Failed: 1, Total: 4}})
	w.add(n, 1, &loop.CheckpointMade{Checkpoint: fmt.Sprint("c", n)})
	w.add(n, 1, &loop.GateFinished{Gate: loop.Gate{Name: "test", Why: hostile}})
	w.add(n, 1, &loop.ClaimRefused{Kind: "done", Text: "DONE", Why: hostile})
	w.add(n, 1, &loop.Warning{Text: hostile, Hint: "mind it"})
	w.add(n, 1, &loop.SandboxRefused{What: loop.RefusedHost, Name: hostile, Key: "sandbox.hosts", By: "agent"})
	o := loop.Outcome{Result: "failed", Said: loop.Said{Summary: hostile}, Claim: &loop.Claim{Kind: "done", Text: "DONE", Why: hostile}, Tests: &loop.Tests{Passed: 3, Failed: 1}}
	w.add(n, 1, &loop.IterationFinished{Outcome: o, Verdict: loop.Verdict{Action: "continue", Why: hostile}})
}

// Whatever an agent wrote, nothing on any page runs, loads or speaks to a terminal.
func TestWhatAnAgentWroteIsHarmlessEverywhere(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	r.attempt(1)
	at := "/api/runs/" + r.Meta().ID
	for _, path := range []string{
		"", "/iterations", "/timeline", "/iterations/1", "/iterations/1/transcript", "/iterations/1/prompt", "/iterations/1/output?stream=stdout",
		"/iterations/1/gates", "/story", "/gates", "/claims", "/checkpoints", "/warnings", "/tasks",
	} {
		var any map[string]any
		s.get(at+path, &any)
		walk(any, func(name, text string) {
			if strings.Contains(text, "\x1b") && path != "/iterations/1" { // which has the outcome as scripts get it
				t.Errorf("%s: %s has an escape: %q", path, name, text)
			}
			lower := strings.ToLower(text)
			if name == "html" && (strings.Contains(lower, "<script") || strings.Contains(lower, "<img") || strings.Contains(lower, `href="javascript`)) {
				t.Errorf("%s: html is %q", path, text)
			}
		})
	}
	page := s.ask("GET", "/runs/"+r.Meta().ID, s.known)
	if page.Code != http.StatusOK || strings.Contains(page.Body.String(), "<script>alert") {
		t.Errorf("the page: %d\n%s", page.Code, page.Body)
	}
}

func walk(v any, see func(name, text string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if text, ok := value.(string); ok {
				see(name, text)
			}
			walk(value, see)
		}
	case []any:
		for _, value := range v {
			walk(value, see)
		}
	}
}

func TestARunInPages(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	for n := 1; n <= 5; n++ {
		r.attempt(n)
	}
	at := "/api/runs/" + r.Meta().ID
	var rows iterationRows
	s.get(at+"/iterations?offset=1&limit=2&order=desc", &rows)
	if rows.Total != 5 || len(rows.Rows) != 2 || rows.Rows[0].Iteration != 4 || rows.Rows[1].Iteration != 3 {
		t.Errorf("the rows are %+v", rows)
	}
	s.get(at+"/iterations?offset=99", &rows)
	if len(rows.Rows) != 0 {
		t.Errorf("behind the last there are %+v", rows)
	}
	var line ledger.Timeline
	s.get(at+"/timeline", &line)
	if len(line.Columns.Seq) != 5 || len(line.Marks) == 0 || *line.Columns.TestsPassed[0] != 3 {
		t.Errorf("the timeline is %+v", line)
	}
	var later ledger.Timeline
	r.attempt(6)
	s.get(fmt.Sprintf("%s/timeline?after=%d", at, line.Seq), &later)
	if len(later.Columns.Seq) != 1 || later.Total != 6 {
		t.Errorf("what is new is %+v", later)
	}
	var told transcript
	s.get(at+"/iterations/2/transcript?limit=2", &told)
	if len(told.Entries) != 2 || !told.MoreBefore || told.Entries[1].Kind != "tests" {
		t.Errorf("the end of a transcript is %+v", told)
	}
	s.get(fmt.Sprintf("%s/iterations/2/transcript?before=%d", at, told.First), &told)
	if len(told.Entries) != 2 || told.MoreBefore || !told.MoreAfter || told.Entries[0].Kind != "text" {
		t.Errorf("what was before it is %+v", told)
	}
	var story transcript
	s.get(at+"/story?limit=10", &story)
	before := story.First
	s.get(fmt.Sprintf("%s/story?limit=10&before=%d", at, before), &story)
	if story.Last != before-1 || !story.MoreBefore {
		t.Errorf("the story before %d is %+v", before, story)
	}
	var events rawEvents
	s.get(at+"/events?type=claim.&limit=3", &events)
	if len(events.Events) != 3 || !events.More {
		t.Errorf("the events are %+v", events)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.attempt(1)
	at := "/api/runs/" + r.Meta().ID
	for path, status := range map[string]int{
		"/api/runs/loop_none":                          404,
		"/runs/loop_none":                              404,
		"/api/runs/..%2f..%2fetc":                      404,
		at + "/iterations/9":                           404,
		at + "/iterations/1?attempt=2":                 404,
		at + "/iterations/0":                           400,
		at + "/iterations/..%2f..%2f1":                 400,
		at + "/iterations/1/output?stream=../run.json": 400,
		at + "/iterations/1/output?stream=stderr":      404,
		at + "/iterations?limit=x":                     400,
		at + "/events?before=-1":                       400,
	} {
		if got := s.ask("GET", path, s.known); got.Code != status {
			t.Errorf("GET %s: %d %s, want %d", path, got.Code, got.Body, status)
		}
	}
}

// A link in the folder of a run leads nowhere.
func TestNoFileOutsideOfARunIsRead(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.attempt(1)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := s.store.AttemptDir(r.Meta().Name, 1, 1)
	for _, name := range []string{"prompt.md", "stdout", filepath.Join("gates", "test.clean.log")} {
		_ = os.Remove(filepath.Join(dir, name))
		if err := os.Symlink(secret, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here")
		}
	}
	at := "/api/runs/" + r.Meta().ID + "/iterations/1"
	for _, path := range []string{"/prompt", "/output?stream=stdout", "/gates"} {
		got := s.ask("GET", at+path, s.known)
		if strings.Contains(got.Body.String(), "the secret") || path != "/gates" && got.Code != http.StatusForbidden {
			t.Errorf("GET %s: %d %s", path, got.Code, got.Body)
		}
	}
}

// A page that is opened late, one whose connection broke, and one that opens it again
// at another server see the same.
func TestStreamOfARun(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "") // it has no socket: it is followed by its files
	r.attempt(1)
	at := "/api/runs/" + r.Meta().ID + "/stream"
	page := s.listen(at+"?after=0", nil)
	var head Run
	page.next("state", &head)
	if head.Row.Run != "build-1" || head.Row.State != loop.Running {
		t.Errorf("the head is %+v", head.Row)
	}
	var ended struct {
		Row ledger.Attempt `json:"row"`
	}
	var f frame
	page.next("attempt", &ended)
	page.next("entries", &f)
	if ended.Row.Iteration != 1 || ended.Row.Seq > f.Last {
		t.Errorf("with events up to %d came the attempt %+v", f.Last, ended.Row)
	}
	if f.First != 1 || f.Last != r.last {
		t.Errorf("late: %d to %d, want 1 to %d", f.First, f.Last, r.last)
	}
	last := page.last
	r.attempt(2)
	page.next("entries", &f)
	if f.First <= 1 {
		t.Errorf("live: %d to %d", f.First, f.Last)
	}
	again, err := New(s.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	first := s.Server
	s.Server = again
	back := s.listen(at, func(req *http.Request) { req.Header.Set("Last-Event-ID", last) })
	back.next("entries", &f)
	if fmt.Sprint(f.First-1) != last || f.Last != r.last {
		t.Errorf("back after %s: %d to %d, want all up to %d", last, f.First, f.Last, r.last)
	}
	s.Server = first
	r.end(loop.Done)
	var over map[string]string
	page.next("over", &over)
	if over["state"] != "done" {
		t.Errorf("the end is %v", over)
	}
}

// A run whose runner dies is shown as that.
func TestStreamTellsOfACrash(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	r.add(1, 1, &loop.IterationStarted{Max: 10})
	r.add(1, 1, &loop.AgentText{Text: "hello"}) // has a later number than the journal
	page := s.listen("/api/runs/"+r.Meta().ID+"/stream", nil)
	var head Run
	page.next("state", &head)
	_ = r.lock.Unlock()
	for head.Row.State != loop.Crashed {
		page.next("state", &head)
	}
	if head.Row.Why == "" || !head.Actions["restart"].OK {
		t.Errorf("the head is %+v", head)
	}
}

// A run is over some time before its runner has left the work tree, and no event tells
// of that; but then it can be resumed.
func TestStreamTellsWhenTheRunnerLeaves(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	r.end(loop.Stopped)
	page := s.listen("/api/runs/"+r.Meta().ID+"/stream", nil)
	var head Run
	page.next("state", &head)
	if head.Actions["restart"].OK || head.Actions["rollback"].OK {
		t.Errorf("while the runner is there: %+v", head.Actions)
	}
	_ = r.lock.Unlock()
	for !head.Actions["restart"].OK || !head.Actions["rollback"].OK {
		page.next("state", &head)
	}
}

// Who was away for long is told, and not drowned.
func TestStreamResync(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	r.add(1, 1, &loop.IterationStarted{Max: 10})
	for n := range maxCatchUp + 10 {
		r.add(1, 1, &loop.AgentText{Text: fmt.Sprint(n)})
	}
	page := s.listen("/api/runs/"+r.Meta().ID+"/stream?after=1", nil)
	var missed resync
	page.next("resync", &missed)
	if missed.After != 1 || missed.Next < maxCatchUp {
		t.Errorf("resync says %+v", missed)
	}
	r.add(1, 1, &loop.AgentText{Text: "and now?"})
	var f frame
	page.next("entries", &f)
	if !strings.Contains(string(f.Entries[len(f.Entries)-1]), "and now?") {
		t.Errorf("then comes %+v", f)
	}
}

// What is at hand for pages is bounded, however much an agent says.
func TestAChannelForgets(t *testing.T) {
	c := &channel{teller: newTeller(view.New()), news: make(chan struct{})}
	for n := range 10 * maxItems {
		c.add(loop.Event{Seq: int64(n + 1), Payload: &loop.AgentText{Text: "word"}})
	}
	if len(c.items) > maxItems {
		t.Errorf("%d events are at hand, want %d at most", len(c.items), maxItems)
	}
	long := strings.Repeat("word ", 1<<17)
	for n := range 100 {
		c.add(loop.Event{Seq: int64(10*maxItems + n + 1), Payload: &loop.AgentText{Text: long}})
	}
	if len(c.items) > 10 || c.weight > 2*maxWeight {
		t.Errorf("%d long events of %d bytes are at hand", len(c.items), c.weight)
	}
	if _, newest, whole, _ := c.after(1, 10); whole || newest != int64(10*maxItems+100) {
		t.Errorf("who is at 1 gets all of them: %v, up to %d", whole, newest)
	}
}
