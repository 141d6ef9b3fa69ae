package telemetry

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Metrics counts what happens in a run, in memory that does not grow with it.
// Counters begin at 0 with each runner, as counters do in a program that is
// started again; gauges are those of the whole run.
type Metrics struct {
	version string
	warn    func(loop.Warning)

	mu    sync.Mutex
	seen  view.Run
	count counters
	tests *loop.Tests // the last that were seen
	plan  *loop.Plan
	last  time.Time // of the last event

	changed chan struct{}
	done    chan struct{}
	server  *http.Server
	wg      sync.WaitGroup
}

// NewMetrics begins to count. It keeps metrics.file up to date and answers on
// metrics.listen, where these are set.
func NewMetrics(s Settings) (*Metrics, error) {
	m := &Metrics{version: s.Version, warn: s.Warn, count: newCounters(), changed: make(chan struct{}, 1), done: make(chan struct{})}
	if s.Seen != nil {
		m.seen = *s.Seen
	}
	if s.Listen != "" {
		if _, err := m.Serve(s.Listen); err != nil {
			return nil, err
		}
	}
	if s.File != "" {
		m.wg.Go(func() { m.keep(s.File) })
	}
	return m, nil
}

// Observe takes in one event. It never waits for a disk or a network.
func (m *Metrics) Observe(e loop.Event) {
	m.mu.Lock()
	m.seen.Apply(e)
	m.count.add(e)
	m.last = e.Time
	if p, ok := e.Payload.(*loop.IterationFinished); ok {
		if p.Outcome.Tests != nil {
			m.tests = p.Outcome.Tests
		}
		if p.Outcome.Plan != nil {
			m.plan = p.Outcome.Plan
		}
	}
	m.mu.Unlock()
	select {
	case m.changed <- struct{}{}:
	default: // a write is due already
	}
}

// Close writes the file for the last time and stops answering. Requests that
// are under way have until ctx ends.
func (m *Metrics) Close(ctx context.Context) error {
	close(m.done)
	var err error
	if m.server != nil {
		if err = m.server.Shutdown(ctx); err != nil {
			err = errors.Join(err, m.server.Close())
		}
	}
	m.wg.Wait()
	return err
}

// families is everything there is to tell now.
func (m *Metrics) families(now time.Time) []family {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := append(m.count.families(), m.gauges(now)...)
	identity := labels{{"run", m.seen.Name}, {"procedure", m.seen.Procedure}, {"agent", m.seen.Agent}}
	for _, f := range list {
		for i := range f.Samples {
			f.Samples[i].Labels = slices.Concat(identity, f.Samples[i].Labels)
		}
	}
	return list
}
