package telemetry

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

func TestANightArrivesAtACollector(t *testing.T) {
	c := startCollector(t)
	tracer, err := NewTracer(Settings{
		RunID: runID, Version: "1.2.3", Endpoint: c.URL, Headers: map[string]string{"X-Team": "night"},
		Env: func(name string) string {
			return map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=laptop,team=a%2Cb"}[name]
		},
		Warn: func(w loop.Warning) { t.Errorf("warned: %s", w.Text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	newTeller(tracer).night()
	tracer.Close(t.Context())

	if c.problem != nil {
		t.Fatalf("the collector could not read a body: %v", c.problem)
	}
	if err := sound(c.spans); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.requests {
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Team") != "night" {
			t.Errorf("request to %s with %v", r.URL, r.Header)
		}
	}
	if c.requests[0].Header.Get("Content-Encoding") != "gzip" {
		t.Error("a large body was not packed")
	}
	want := map[string]string{"service.name": "refrain", "service.version": "1.2.3", "deployment.environment": "laptop", "team": "a,b"}
	if fmt.Sprint(c.resource) != fmt.Sprint(want) {
		t.Errorf("resource is %v, want %v", c.resource, want)
	}
	if strings.Contains(string(c.bodies), "secret") {
		t.Error("what the agent reads and writes was sent")
	}
}

func TestSpansOfANight(t *testing.T) {
	list := fold(t, func(tell *teller) { tell.night() })
	if err := sound(list); err != nil {
		t.Fatal(err)
	}
	const failed, fine = statusError, 0
	for _, tt := range []struct {
		name, parent string
		n            int // which of that name
		status       int
		message      string
		attributes   map[string]string
		events       []string
	}{
		{
			"run build", "", 0, fine, "",
			map[string]string{"refrain.run": "build-7", "refrain.run_id": runID, "refrain.state": "done", "refrain.reason": "promise", "refrain.proven": "true", "refrain.level": "proven", "refrain.files_changed": "2", "refrain.cost_usd": "0.5", "gen_ai.agent.name": "claude", "process.pid": "42"},
			[]string{"warning", "command.received"},
		},
		{"hook started", "run build", 0, fine, "", map[string]string{"process.exit.code": "0"}, nil},
		{"gate test", "run build", 0, fine, "", map[string]string{"refrain.gate_where": "workspace"}, nil},
		{
			"iteration", "run build", 0, failed, "2 tests fail",
			map[string]string{
				"refrain.iteration": "1", "refrain.attempt": "1", "refrain.result": "failed", "error.type": "failed", "refrain.verdict": "continue",
				"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "opus", "gen_ai.response.model": "opus-1",
				"gen_ai.conversation.id": "s-1", "gen_ai.usage.input_tokens": "950", "gen_ai.usage.output_tokens": "50", "gen_ai.usage.cache_read.input_tokens": "800",
				"refrain.cost_usd": "0.25", "refrain.cost_estimated": "false", "refrain.tests_failed": "2", "refrain.files_changed": "3",
			},
			[]string{"checkpoint.made", "claim.refused"},
		},
		{"execute_tool Read", "iteration", 0, fine, "", map[string]string{"gen_ai.tool.name": "Read", "gen_ai.tool.call.id": "b", "gen_ai.operation.name": "execute_tool"}, nil},
		{"execute_tool Bash", "iteration", 0, failed, "exit status 1", map[string]string{"process.exit.code": "1", "refrain.tool_shell": "true"}, nil},
		{"execute_tool WebFetch", "iteration", 0, failed, "the agent was not allowed to use it", map[string]string{"refrain.tool_denied": "true"}, nil},
		{"execute_tool Forgotten", "iteration", 0, fine, "", nil, nil},
		{"gate test", "iteration", 1, failed, "2 tests fail", map[string]string{"refrain.gate_where": "clean", "refrain.tests_run": "12"}, nil},
		{"hook post_iteration", "iteration", 0, failed, "it took longer than 30s and was ended", nil, nil},
		{"iteration", "run build", 1, failed, "you have hit your limit", map[string]string{"error.type": "usage_limit", "refrain.attempt": "1"}, []string{"agent.limit"}},
		{"wait", "run build", 0, fine, "", map[string]string{"refrain.rule": "limit"}, nil},
		{"iteration", "run build", 2, fine, "", map[string]string{"refrain.attempt": "2", "refrain.claim": "done", "refrain.proven": "true", "refrain.level": "proven", "refrain.cost_estimated": "true"}, []string{"claim.heard"}},
	} {
		found := spansOf(list, tt.name)
		if len(found) <= tt.n {
			t.Errorf("there are %d spans %q, want more than %d", len(found), tt.name, tt.n)
			continue
		}
		s := found[tt.n]
		if got := parentOf(list, s); got != tt.parent {
			t.Errorf("span %s is in %q, want %q", tt.name, got, tt.parent)
		}
		if s.Status.Code != tt.status || s.Status.Message != tt.message {
			t.Errorf("span %s has status %v, want %v %q", tt.name, s.Status, tt.status, tt.message)
		}
		for key, want := range tt.attributes {
			if got := s.attribute(key); got != want {
				t.Errorf("span %s has %s = %q, want %q", tt.name, key, got, want)
			}
		}
		if !slices.Equal(s.events(), tt.events) {
			t.Errorf("span %s has events %v, want %v", tt.name, s.events(), tt.events)
		}
	}
	if len(list) != 13 {
		t.Errorf("there are %d spans, want 13", len(list))
	}
	wait := spansOf(list, "wait")[0]
	if took := wait.End - wait.Start; took < 3600e9 {
		t.Errorf("the wait took %d ns, want an hour: a command does not end it", took)
	}
}

func TestAResumedRunContinuesItsTrace(t *testing.T) {
	list := fold(t, func(tell *teller) {
		tell.start()
		tell.begin(1, 1)
		tell.end(loop.Outcome{Result: loop.OK}, loop.State{Totals: loop.Totals{Iterations: 1}})
		tell.finish(loop.Stopped, loop.ByRequest, "you stopped it")
	}, func(tell *teller) {
		tell.tell(&loop.RunResumed{From: loop.Stopped, PID: 43, Sandbox: &loop.Sandbox{Mode: "landlock", Why: "so"}})
		tell.begin(2, 1)
		tell.end(loop.Outcome{Result: loop.OK}, loop.State{Totals: loop.Totals{Iterations: 2}})
		tell.finish(loop.Aborted, loop.ByFailures, "3 failures in a row")
	})
	if err := sound(list); err != nil {
		t.Fatal(err)
	}
	resumed := spansOf(list, "resume build")
	if len(resumed) != 1 || parentOf(list, resumed[0]) != "run build" {
		t.Fatalf("spans of runners: %v", resumed)
	}
	if got := resumed[0].attribute("refrain.sandbox"); got != "landlock" {
		t.Errorf("the runner has the sandbox %q", got)
	}
	if got := resumed[0].Status; got.Code != statusError || got.Message != "3 failures in a row" {
		t.Errorf("the runner that gave up has status %v", got)
	}
	if got := parentOf(list, spansOf(list, "iteration")[1]); got != "run build" {
		t.Errorf("the iteration after the resume is in %q", got)
	}
}

func TestARunnerThatDiesLeavesItsSpansToTheNext(t *testing.T) {
	list := fold(t, func(tell *teller) {
		tell.start()
		tell.begin(1, 1)
		tell.tell(&loop.HookFinished{Point: "next_iteration", Action: "continue"})
		tell.tell(&loop.AgentTool{ID: "a", Name: "Bash"})
	}, func(tell *teller) {
		tell.tell(&loop.RunResumed{From: loop.Crashed})
		tell.iter, tell.attempt = 1, 1
		tell.end(loop.Outcome{Result: loop.Lost}, loop.State{Tries: loop.Tries{Attempts: 1}})
		tell.finish(loop.Done, loop.ByGates, "the gates agree")
	})
	if err := sound(list); err != nil {
		t.Fatal(err)
	}
	attempt := spansOf(list, "iteration")
	if len(attempt) != 1 || attempt[0].attribute("refrain.result") != "lost" {
		t.Fatalf("attempts: %v", attempt)
	}
	if root := spansOf(list, "run build")[0]; root.Start != big(evening.UnixNano()) {
		t.Error("the run does not begin where its first runner began")
	}
}

func TestEnvironNamesTheSpanOfTheAttempt(t *testing.T) {
	var tracer *Tracer
	var parent []string
	list := foldWith(t, func(one *Tracer) {
		tracer = one
		parent = one.Environ(2, 3) // before the span is made
		tell := newTeller(one)
		tell.start()
		tell.begin(2, 3)
		tell.end(loop.Outcome{Result: loop.OK}, loop.State{})
		tell.finish(loop.Done, loop.ByGates, "")
	})
	s := spansOf(list, "iteration")[0]
	want := fmt.Sprintf("TRACEPARENT=00-%s-%s-01", hex.EncodeToString(s.TraceID), hex.EncodeToString(s.SpanID))
	if len(parent) != 1 || parent[0] != want {
		t.Errorf("Environ(2, 3) = %v, want %s", parent, want)
	}
	if got := tracer.Environ(2, 4)[0]; got == want {
		t.Error("another attempt has the same span")
	}
	if !strings.Contains(want, strings.ReplaceAll(strings.TrimPrefix(runID, "loop_"), "-", "")) {
		t.Errorf("%s does not hold the number of run %s", want, runID)
	}
}

func TestARunIdThatIsNoNumberHasATraceToo(t *testing.T) {
	one, other := traceOf("loop_1"), traceOf("loop_2")
	if one == other || one == (traceID{}) {
		t.Errorf("traces are %s and %s", one, other)
	}
}

func TestOneSpanKeepsABoundedNumberOfMoments(t *testing.T) {
	list := fold(t, func(tell *teller) {
		tell.start()
		for range maxMoments + 5 {
			tell.tell(&loop.Warning{Text: "again"})
		}
		tell.finish(loop.Done, loop.ByGates, "")
	})
	if s := list[0]; len(s.Events) != maxMoments || s.Dropped != 5 {
		t.Errorf("the span has %d events and dropped %d", len(s.Events), s.Dropped)
	}
}

func TestToolsThatNeverEndAreBounded(t *testing.T) {
	list := fold(t, func(tell *teller) {
		tell.start()
		tell.begin(1, 1)
		for i := range maxOpen + 5 {
			tell.tell(&loop.AgentTool{ID: fmt.Sprint(i), Name: "Bash"})
		}
		tell.end(loop.Outcome{Result: loop.OK}, loop.State{})
		tell.finish(loop.Done, loop.ByGates, "")
	})
	if got := len(spansOf(list, "execute_tool Bash")); got != maxOpen {
		t.Errorf("%d tools were traced, want %d", got, maxOpen)
	}
}

func TestANilTracerDoesNothing(t *testing.T) {
	tracer, err := NewTracer(Settings{RunID: runID})
	if tracer != nil || err != nil {
		t.Fatalf("NewTracer without an endpoint = %v, %v", tracer, err)
	}
	newTeller(tracer).night()
	if got := tracer.Environ(1, 1); got != nil {
		t.Errorf("Environ = %v", got)
	}
	tracer.Close(context.Background())
}

// fold gives the spans of a run that several runners worked on, one after the
// other.
func fold(t *testing.T, runners ...func(*teller)) []received {
	t.Helper()
	var r relay
	for _, runner := range runners {
		runner(r.next())
	}
	return understood(t, r.sent)
}

// relay hands a run from one runner to the next, with what each can know.
type relay struct {
	tell *teller
	seen *view.Run
	tail []loop.Event
	sent []span
}

func (r *relay) next() *teller {
	s := Settings{RunID: runID}
	if r.tell == nil {
		r.tell, r.seen = newTeller(), view.New()
	} else {
		copied := *r.seen
		s.Seen, s.Tail = &copied, slices.Clone(r.tail)
	}
	folded := newSpans(s, func(one span) { r.sent = append(r.sent, one) })
	r.tell.iter, r.tell.attempt = 0, 0
	r.tell.observers = []interface{ Observe(loop.Event) }{observe(folded.hear), observe(r.seen.Apply), observe(func(e loop.Event) {
		if r.tail = append(r.tail, e); e.Type() == "iteration.finished" {
			r.tail = nil
		}
	})}
	return r.tell
}

type observe func(loop.Event)

func (o observe) Observe(e loop.Event) { o(e) }

// understood is what a collector makes of spans.
func understood(t interface{ Fatal(...any) }, sent []span) []received {
	body, err := encode(resource{}, "", sent)
	if err != nil {
		t.Fatal(err)
	}
	data, err := decode(body)
	if err != nil {
		t.Fatal(err)
	}
	return data.ResourceSpans[0].ScopeSpans[0].Spans
}

func foldWith(t *testing.T, use func(*Tracer)) []received {
	t.Helper()
	c := startCollector(t)
	tracer, err := NewTracer(Settings{RunID: runID, Endpoint: c.URL})
	if err != nil {
		t.Fatal(err)
	}
	use(tracer)
	tracer.Close(t.Context())
	if c.problem != nil {
		t.Fatal(c.problem)
	}
	return c.spans
}

func parentOf(list []received, s received) string {
	for _, one := range list {
		if string(one.SpanID) == string(s.ParentSpanID) {
			return one.Name
		}
	}
	return ""
}
