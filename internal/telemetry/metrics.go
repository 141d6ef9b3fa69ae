package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
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
	if !s.File.IsZero() {
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

// states are those that a run can be in; exactly one of them is 1.
var states = []loop.Status{
	loop.Running, loop.Waiting, loop.Paused, loop.Rebooting, loop.Done, loop.Exhausted, loop.Aborted, loop.Stopped, loop.CouldNotRun, loop.Parked,
}

// gauges tells where the run stands. What is not known is left out.
func (m *Metrics) gauges(now time.Time) []family {
	r := &m.seen
	return []family{
		m.info(), m.state(),
		gauge("iteration", "The iteration that began last.").with("", float64(r.Iteration)),
		gauge("max_iterations", "The highest number of iterations.").withKnown("", float64(r.Max())),
		m.streaks(), m.budgets(now),
		gauge("context_ratio", "How full the agent's context is.").withKnown("", float64(m.context())/100),
		m.testCounts(), m.planCounts(),
		gauge("proven", "Whether the run is done and proven.").with("", oneIf(r.Proven())),
		gauge("run_seconds", "How long the run has been alive, waits included.").with("", r.Elapsed(now).Seconds()),
		gauge("start_time_seconds", "When the run began.").withTime(r.StartedAt),
		gauge("last_event_time_seconds", "When something happened last.").withTime(m.last),
		gauge("wait_until_time_seconds", "When the wait that the run is in ends.").withTime(m.waitUntil()),
	}
}

func (m *Metrics) info() family {
	f := gauge("run_info", "What the run is made of; always 1.")
	f.Samples = []sample{{Name: f.Name, Value: 1, Labels: labels{{"run_id", m.seen.ID}, {"model", m.seen.Model}, {"version", m.version}}}}
	return f
}

func (m *Metrics) state() family {
	f := gauge("run_state", "1 for the state that the run is in.")
	for _, s := range states {
		f = f.withLabel("state", string(s), oneIf(m.seen.State == s))
	}
	return f
}

func (m *Metrics) streaks() family {
	s := m.seen.Sum.Streaks
	return gauge("streak", "Iterations in a row that went wrong, by how.").
		withLabel("kind", "failures", float64(s.Failures)).
		withLabel("kind", "no_progress", float64(s.NoProgress)).
		withLabel("kind", "red_gates", float64(s.RedGates)).
		withLabel("kind", "test_failures", float64(s.TestFailures))
}

// budgets tells how much of each limit is used up, the attempt under way
// included.
func (m *Metrics) budgets(now time.Time) family {
	f := gauge("budget_ratio", "How much of a budget is used up.")
	r := &m.seen
	for _, b := range []struct {
		name       string
		used, most float64
	}{
		{"cost", r.Cost(), r.Limits.CostUSD},
		{"iterations", float64(r.Sum.Totals.Iterations), float64(r.Limits.Iterations)},
		{"time", r.Elapsed(now).Seconds(), r.Limits.Time.Duration().Seconds()},
		{"tokens", float64(r.Tokens()), float64(r.Limits.Tokens)},
	} {
		if b.most > 0 {
			f = f.withLabel("budget", b.name, b.used/b.most)
		}
	}
	return f
}

// context is how full the agent's context is in percent: now, or when the last
// attempt ended.
func (m *Metrics) context() int {
	if now := m.seen.ContextPercent(); now > 0 || m.seen.Open || m.seen.Outcome == nil || m.seen.Outcome.Usage == nil {
		return now
	}
	return m.seen.Outcome.Usage.ContextPercent
}

func (m *Metrics) testCounts() family {
	f := gauge("tests", "Tests as they were last seen.")
	if m.tests == nil {
		return f
	}
	return f.withLabel("state", "failed", float64(m.tests.Failed)).
		withLabel("state", "passed", float64(m.tests.Passed)).
		withLabel("state", "skipped", float64(m.tests.Skipped))
}

func (m *Metrics) planCounts() family {
	f := gauge("plan_tasks", "Tasks of the plan.")
	if m.plan == nil {
		return f
	}
	return f.withLabel("state", "done", float64(m.plan.Done)).
		withLabel("state", "in_progress", float64(m.plan.InProgress)).
		withLabel("state", "open", float64(m.plan.Open))
}

func (m *Metrics) waitUntil() time.Time {
	if m.seen.Wait == nil {
		return time.Time{}
	}
	return m.seen.Wait.Until
}

func gauge(name, help string) family { return family{Name: prefix + name, Help: help, Type: "gauge"} }

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// settleTime is the shortest time between two writes of the file: those who
// collect it look every few seconds.
const settleTime = time.Second

// keep writes the file when something has changed, and at the end. It says once
// that it cannot.
func (m *Metrics) keep(file files.Named) {
	told := false
	for closing := false; !closing; {
		select {
		case <-m.changed:
		case <-m.done:
			closing = true
		}
		if err := replace(file, m.text()); err != nil && !told && m.warn != nil {
			told = true
			m.warn(loop.Warning{
				Text: fmt.Sprintf("metrics.file cannot be written: %v", err),
				Hint: "make its folder, or name one that you can write to; the run goes on, and writing is tried again",
			})
		}
		if !closing {
			m.settle()
		}
	}
}

// settle lets a second pass, unless the run ends.
func (m *Metrics) settle() {
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.done:
	}
}

// replace puts b in the place of a file in one piece. The collector that reads
// it runs as another user, so everybody may; and takes every file that ends in
// .prom, so the new one has another name until it is whole.
func replace(file files.Named, b []byte) error { return file.Replace(b, 0o644, files.NoSync) }
