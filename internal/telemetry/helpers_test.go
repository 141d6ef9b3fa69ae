package telemetry

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const runID = "loop_0b9f8a52-6f0e-4c0a-9a51-0c7c2c7d1e11"

var evening = time.Date(2026, 11, 5, 22, 0, 0, 0, time.UTC)

// teller makes the events of a run, a second apart unless told otherwise.
type teller struct {
	seq           int64
	at            time.Time
	iter, attempt int
	observers     []interface{ Observe(loop.Event) }
}

func newTeller(observers ...interface{ Observe(loop.Event) }) *teller {
	return &teller{at: evening, observers: observers}
}

func (t *teller) tell(p loop.Payload) loop.Event {
	t.seq++
	e := loop.Event{Seq: t.seq, Time: t.at, Run: runID, Iter: t.iter, Attempt: t.attempt, Payload: p}
	for _, o := range t.observers {
		o.Observe(e)
	}
	t.at = t.at.Add(time.Second)
	return e
}

func (t *teller) start() {
	t.tell(&loop.RunStarted{
		Name: "build-7", Procedure: "build", Version: "1.2.3", PID: 42, Agent: "claude", Model: "opus",
		Limits: loop.Limits{Iterations: 10, CostUSD: 2, Tokens: 10_000, Time: loop.Millis(time.Hour)},
	})
}

func (t *teller) begin(iter, attempt int) {
	t.iter, t.attempt = iter, attempt
	t.tell(&loop.IterationStarted{Max: 10})
}

func (t *teller) end(o loop.Outcome, s loop.State) {
	t.tell(&loop.IterationFinished{Outcome: o, Verdict: loop.Verdict{Action: loop.Continue}, State: s})
	t.iter, t.attempt = 0, 0
}

func (t *teller) finish(state loop.Status, reason loop.Reason, why string) {
	t.iter, t.attempt = 0, 0
	t.tell(&loop.RunFinished{State: state, Reason: reason, Why: why, Proven: state == loop.Done, Totals: loop.Totals{Iterations: 2, Files: 5, CostUSD: 0.5, Tokens: 1500}, Net: &loop.Changes{Modified: 2}})
}

// night is a whole run with one of everything in it.
func (t *teller) night() {
	zero, one := 0, 1
	t.start()
	t.tell(&loop.HookFinished{Point: "started", Exit: &zero, Action: "continue", Duration: loop.Millis(500 * time.Millisecond)})
	t.tell(&loop.GateStarted{Name: "test", Where: loop.InWorkspace})
	t.tell(&loop.GateFinished{Gate: loop.Gate{Name: "test", Where: loop.InWorkspace, OK: true, Exit: &zero}})

	t.begin(1, 1)
	t.tell(&loop.CheckpointMade{Checkpoint: "c1", Tree: "t1", Base: true})
	t.tell(&loop.AgentStarted{Agent: "claude", PID: 99})
	t.tell(&loop.AgentSession{Session: "s-1", Model: "opus-1"})
	t.tell(&loop.AgentText{Text: "a secret plan"})
	t.tell(&loop.AgentTool{ID: "a", Name: "Bash", Input: "cat secret", Shell: true})
	t.tell(&loop.AgentTool{ID: "b", Name: "Read", Input: "secret"})
	t.tell(&loop.AgentToolResult{ID: "b", Name: "Read", Output: "secret"})
	t.tell(&loop.AgentToolResult{ID: "a", Name: "Bash", Failed: true, Exit: &one, Output: "secret"})
	t.tell(&loop.AgentTool{ID: "c", Name: "WebFetch"})
	t.tell(&loop.AgentToolResult{ID: "c", Denied: true})
	t.tell(&loop.AgentTool{Name: "Forgotten"})
	t.tell(&loop.AgentUsage{Usage: loop.Usage{Input: 100, ContextPercent: 31}})
	t.tell(&loop.AgentExited{Exit: loop.Exit{Code: &zero, Cause: loop.Exited}})
	t.tell(&loop.ClaimRefused{Kind: loop.ClaimDone, Text: "DONE", Why: "3 tests were deleted"})
	t.tell(&loop.GateStarted{Name: "test", Where: loop.InClean})
	t.tell(&loop.GateFinished{Gate: loop.Gate{Name: "test", Where: loop.InClean, Exit: &one, Why: "2 tests fail", Tests: 12}})
	t.tell(&loop.HookFinished{Point: "post_iteration", Action: "continue", Why: "it took longer than 30s and was ended", Duration: loop.Millis(time.Hour)})
	t.end(loop.Outcome{
		Result: loop.Failed, Worker: loop.Worker{Agent: "claude", Model: "opus-1", Session: "s-1"}, Duration: loop.Millis(45 * time.Second),
		Exit:  &loop.Exit{Code: &zero, Cause: loop.Exited},
		Gates: []loop.Gate{{Name: "test", Why: "2 tests fail"}},
		Tests: &loop.Tests{Total: 12, Passed: 10, Failed: 2},
		Usage: &loop.Usage{Input: 100, Output: 50, CacheRead: 800, CacheWrite: 50, CostUSD: 0.25, ContextPercent: 40, Turns: 3},
		Work:  loop.Work{Changes: &loop.Changes{Created: 1, Modified: 2, LinesAdded: 40, LinesRemoved: 3, Commits: 1}, Plan: &loop.Plan{Open: 3, InProgress: 1, Done: 8}},
	}, loop.State{Totals: loop.Totals{Iterations: 1, Tokens: 1000, CostUSD: 0.25}, Streaks: loop.Streaks{RedGates: 1}, Limits: loop.Limits{Iterations: 10, CostUSD: 2, Tokens: 10_000}})
	t.tell(&loop.Warning{Text: "old transcripts are kept"})

	t.begin(2, 1)
	t.tell(&loop.AgentLimit{Limit: loop.Limit{Kind: "five_hour", Until: t.at.Add(time.Hour)}})
	t.end(loop.Outcome{Result: loop.Limited, Worker: loop.Worker{Agent: "claude"}, Error: &loop.AgentError{Kind: loop.ErrUsageLimit, Message: "you have hit your limit"}},
		loop.State{Totals: loop.Totals{Iterations: 1}, Tries: loop.Tries{Attempts: 1}})
	t.tell(&loop.RunWaiting{Rule: "limit", Why: "usage limit", For: loop.Millis(time.Hour), Until: t.at.Add(time.Hour)})
	t.tell(&loop.CommandReceived{Command: "note", Effect: "kept"})
	t.at = t.at.Add(time.Hour)

	t.begin(2, 2)
	t.tell(&loop.ClaimHeard{Kind: loop.ClaimDone, Text: "DONE"})
	t.end(loop.Outcome{
		Result: loop.OK, Worker: loop.Worker{Agent: "claude"}, Duration: loop.Millis(5 * time.Minute), Claim: &loop.Claim{Kind: loop.ClaimDone, Proven: true},
		Usage: &loop.Usage{Output: 500, CostUSD: 0.25, CostEstimated: true},
	}, loop.State{Totals: loop.Totals{Iterations: 2, Tokens: 1500, CostUSD: 0.5}, Limits: loop.Limits{Iterations: 10, CostUSD: 2, Tokens: 10_000}})
	t.finish(loop.Done, loop.ByPromise, "the gates agree")
}

// fakeCollector is a real HTTP server that takes spans.
type fakeCollector struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	resource map[string]string
	spans    []received
	bodies   []byte
	problem  error
}

func startCollector(t *testing.T) *fakeCollector {
	c := &fakeCollector{resource: map[string]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, r)
		if err := c.take(r); err != nil {
			c.problem = err
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"partialSuccess":{}}`)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *fakeCollector) take(r *http.Request) error {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		in = unpacked
	}
	body, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	c.bodies = append(c.bodies, body...)
	data, err := decode(body)
	if err != nil {
		return err
	}
	for _, rs := range data.ResourceSpans {
		for _, a := range rs.Resource.Attributes {
			c.resource[a.Key] = a.Value.String()
		}
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
	return nil
}

// spansOf gives the spans of a name, in the order they were sent.
func spansOf(list []received, name string) (found []received) {
	for _, s := range list {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// sound tells what is wrong with the spans of one trace, if anything is.
func sound(list []received) error {
	seen := map[string]received{}
	for _, s := range list {
		if len(s.TraceID) != 16 || len(s.SpanID) != 8 {
			return fmt.Errorf("span %s has ids of %d and %d bytes", s.Name, len(s.TraceID), len(s.SpanID))
		}
		if id := traceOf(runID); string(s.TraceID) != string(id[:]) {
			return fmt.Errorf("span %s is in another trace", s.Name)
		}
		if old, double := seen[string(s.SpanID)]; double {
			return fmt.Errorf("spans %s and %s have the same id", old.Name, s.Name)
		}
		if s.End < s.Start || s.Start == 0 {
			return fmt.Errorf("span %s ends before it begins", s.Name)
		}
		for _, e := range s.Events {
			if e.Time < s.Start || e.Time > s.End {
				return fmt.Errorf("event %s is outside of its span %s", e.Name, s.Name)
			}
		}
		if s.Kind != kindInternal {
			return fmt.Errorf("span %s is of kind %d", s.Name, s.Kind)
		}
		seen[string(s.SpanID)] = s
	}
	roots := 0
	for _, s := range list {
		if len(s.ParentSpanID) == 0 {
			roots++
			continue
		}
		parent, ok := seen[string(s.ParentSpanID)]
		if !ok {
			return fmt.Errorf("the parent of span %s was never sent", s.Name)
		}
		if s.Start < parent.Start {
			return fmt.Errorf("span %s begins before its parent %s", s.Name, parent.Name)
		}
	}
	if roots != 1 {
		return fmt.Errorf("%d spans have no parent, want 1", roots)
	}
	return nil
}
