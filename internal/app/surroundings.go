package app

import (
	"context"
	"fmt"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/awake"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/notify"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearse"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/steer"
	"github.com/refrain-loop/refrain/internal/telemetry"
	"github.com/refrain-loop/refrain/internal/view"
)

// surroundings is what surrounds a run: those who look after it, the time, and what runs
// its processes.
type surroundings struct {
	*observers
	shared engine.Shared
	clock  engine.Clock // nil is the one on the wall
	exec   rehearse.Exec
}

func surround(a request.Assignment, l *lineup.Lineup, w RunOptions, o openRun, keeper *proc.Keeper, state *stateFile) (*surroundings, error) {
	if sim := w.Simulation; sim != nil {
		sim.Opened(o.run, func() { w.Control.Stop(loop.Asked{Now: true}) })
		return &surroundings{observers: &observers{}, clock: sim.Clock, exec: sim.Exec(keeper.Run)}, nil
	}
	observers, err := startObservers(a, w, o, keeper, state)
	if err != nil {
		return nil, err
	}
	shared, release := openBoard(a, l, o.run.Meta().Name)
	observers.closers = append(observers.closers, release)
	return &surroundings{observers: observers, shared: shared, exec: keeper.Run}, nil
}

// observers are those who look after a live run: who tells people, who counts,
// who traces, who keeps the machine awake, and who takes commands.
type observers struct {
	list    []engine.Observer
	tracer  *telemetry.Tracer
	closers []func()

	mu     sync.Mutex
	tell   func(loop.Warning) // once there is somebody to tell
	untold []loop.Warning
}

// startObservers gets them ready. What is wrong with them is a mistake in the settings.
func startObservers(of request.Assignment, w RunOptions, o openRun, keeper *proc.Keeper, state *stateFile) (*observers, error) {
	a := &observers{}
	c := of.Config()
	seen := *o.seen // before others change it
	settings := telemetry.Settings{
		RunID: o.run.Meta().ID, Version: w.Version, Endpoint: c.Trace.Endpoint, Headers: c.Trace.Headers,
		Listen: c.Metrics.Listen, Env: os.Getenv, Warn: a.warn, Seen: resumedView(o, &seen), Tail: o.past.Tail,
	}
	if c.Metrics.File != "" {
		settings.File = of.InTree(c.Metrics.File)
	}
	var err error
	if a.tracer, err = telemetry.NewTracer(settings); err != nil {
		return nil, &request.UsageError{What: err.Error(), Hint: "correct trace.endpoint and trace.headers"}
	}
	if a.tracer != nil {
		a.add(a.tracer, func() { a.tracer.Close(context.Background()) })
	}
	if settings.File != "" || settings.Listen != "" {
		if err := a.count(settings); err != nil {
			a.close()
			return nil, &request.UsageError{What: err.Error(), Hint: "correct metrics.file"}
		}
	}
	sender, err := notify.New(noticesOf(of, w.Terminal, o.run, keeper.Run, a.warn))
	if err != nil {
		a.close()
		return nil, &request.UsageError{What: err.Error(), Hint: "\"refrain config explain KEY\" tells where it is set"}
	}
	a.add(sender, sender.Close)
	if c.Loop.Inhibit {
		vigil := awake.Hold("refrain " + o.run.Meta().Name)
		a.closers = append(a.closers, vigil.Release)
	}
	takeCommands(a, w, o, state)
	return a, nil
}

// closeTime is how long an attendant may take to finish.
const closeTime = 5 * time.Second

// count begins to count. A place that is taken, by another run with the same
// settings most likely, is no reason not to run.
func (a *observers) count(s telemetry.Settings) error {
	listen := s.Listen
	s.Listen = ""
	metrics, err := telemetry.NewMetrics(s)
	if err != nil {
		return err
	}
	a.add(metrics, func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		_ = metrics.Close(ctx)
	})
	if listen == "" {
		return nil
	}
	if _, err := metrics.Serve(listen); err != nil {
		a.warn(loop.Warning{Text: "metrics are not served: " + err.Error(), Hint: "metrics.listen is taken: choose another port for runs beside each other"})
	}
	return nil
}

// resumedView is what telemetry should know of a run that goes on.
func resumedView(o openRun, seen *view.Run) *view.Run {
	if _, resumed := o.start.(*loop.RunResumed); resumed {
		return seen
	}
	return nil
}

// takeCommands opens the run's local door. A run without one still runs.
func takeCommands(a *observers, w RunOptions, o openRun, state *stateFile) {
	meta := o.run.Meta()
	server, err := control.Serve(control.Options{
		ID: meta.ID, Folders: control.Folders(os.Getenv), Run: state.Status, Do: doer(w.Control),
		Inside: func(pid int) bool { return proc.Descends(pid, os.Getpid()) },
		Past:   func(after int64) iter.Seq2[loop.Event, error] { return o.store.AllEvents(meta.Name, after) },
	})
	if err != nil {
		a.warn(loop.Warning{Text: fmt.Sprintf("this run takes no commands: %v", err), Hint: "stop it with Ctrl+C; \"refrain status\" and \"refrain logs\" work"})
		return
	}
	a.add(server, server.Close)
	if err := o.lock.Note(journal.Self(meta.Name, server.Address())); err != nil {
		a.warn(loop.Warning{Text: fmt.Sprintf("nobody can find the socket of this run: %v", err)})
	}
}

// doer has commands carried out by the engine.
func doer(c *steer.Control) func(context.Context, control.Command) control.Answer {
	return func(ctx context.Context, cmd control.Command) control.Answer {
		answer, err := c.Do(ctx, steer.Command{Name: cmd.Command, Text: cmd.Text, Key: cmd.Key, Value: cmd.Value, NoWait: cmd.NoWait, Inside: cmd.Inside})
		switch {
		case err != nil:
			return control.Answer{} // whoever asked is gone
		case answer.OK:
			return control.Answer{OK: true, Effect: answer.Effect, State: answer.State}
		}
		return control.Answer{Why: answer.Effect, State: answer.State}
	}
}

func (a *observers) add(o engine.Observer, end func()) {
	a.list = append(a.list, o)
	a.closers = append(a.closers, end)
}

// close lets everyone finish, the last one first.
func (a *observers) close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.closers[i]()
	}
}

// warn passes on what is wrong with one of them, if need be later.
func (a *observers) warn(w loop.Warning) {
	a.mu.Lock()
	tell := a.tell
	if tell == nil {
		a.untold = append(a.untold, w)
	}
	a.mu.Unlock()
	if tell != nil {
		tell(w)
	}
}

// report says who hears of it, and gives what was said before.
func (a *observers) report(to func(loop.Warning)) []loop.Warning {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell = to
	list := a.untold
	a.untold = nil
	return list
}
