package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// flushTime is how long the end of a run may be held up by spans that are not
// yet sent.
const flushTime = 5 * time.Second

// Tracer sends a run to an OpenTelemetry collector. A nil Tracer does nothing.
type Tracer struct {
	run string
	out *sender

	mu     sync.Mutex
	spans  *spans
	closed bool
}

// NewTracer makes a tracer, or none when nothing asks for traces.
func NewTracer(s Settings) (*Tracer, error) {
	return newTracer(s, http.DefaultTransport.(*http.Transport).Clone())
}

func newTracer(s Settings, transport http.RoundTripper) (*Tracer, error) {
	to, err := s.target()
	if to == nil || err != nil {
		return nil, err
	}
	from, err := s.resource()
	if err != nil {
		return nil, err
	}
	c := newCollector(to, transport)
	t := &Tracer{run: s.RunID, out: newSender(c, s.Warn, func(list []span) ([]byte, error) { return encode(from, s.Version, list) })}
	t.spans = newSpans(s, t.out.add)
	return t, nil
}

// Observe takes in one event. It never waits.
func (t *Tracer) Observe(e loop.Event) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.spans.hear(e)
	}
}

// Environ is what the agent of an attempt gets into its environment, so that
// spans of its own become part of the trace.
func (t *Tracer) Environ(iter, attempt int) []string {
	if t == nil {
		return nil
	}
	return []string{fmt.Sprintf("TRACEPARENT=00-%s-%s-01", traceOf(t.run), attemptOf(t.run, iter, attempt))}
}

// Close sends what is left, for five seconds at most and not after ctx ends.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	t.mu.Lock()
	already := t.closed
	t.closed = true
	t.mu.Unlock()
	if already {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	t.out.close(ctx)
}

// encode is the body of one request.
func encode(r resource, version string, spans []span) ([]byte, error) {
	return json.Marshal(export{[]resourceSpans{{r, []scopeSpans{{
		scope{"github.com/refrain-loop/refrain", version}, spans,
	}}}}})
}
