package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/awake"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/governor"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/notify"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
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

func surround(a request.Assignment, l *lineup.Lineup, w RunOptions, o openRun, crew *crew, state *stateFile) (*surroundings, error) {
	if sim := w.Simulation; sim != nil {
		sim.Opened(o.run, func() { w.Control.Stop(loop.StopRequest{Now: true}) })
		return &surroundings{observers: &observers{}, clock: sim.Clock, exec: sim.Exec(crew.Run)}, nil
	}
	observers, err := startObservers(a, w, o, crew, state)
	if err != nil {
		return nil, err
	}
	shared, release := openBoard(a, l, o.run.Meta().Name)
	observers.closers = append(observers.closers, release)
	return &surroundings{observers: observers, shared: shared, exec: crew.Run}, nil
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
func startObservers(of request.Assignment, w RunOptions, o openRun, crew *crew, state *stateFile) (*observers, error) {
	a := &observers{}
	c := of.Config()
	seen := *o.seen // before others change it
	settings := telemetry.Settings{
		RunID: o.run.Meta().ID, Version: w.Version, Endpoint: c.Trace.Endpoint, Headers: c.Trace.Headers,
		File: of.File("metrics.file", c.Metrics.File), Listen: c.Metrics.Listen, Env: os.Getenv, Warn: a.warn, Seen: resumedView(o, &seen), Tail: o.past.Tail,
	}
	var err error
	if a.tracer, err = telemetry.NewTracer(settings); err != nil {
		return nil, &request.UsageError{What: err.Error(), Hint: "correct trace.endpoint and trace.headers"}
	}
	if a.tracer != nil {
		a.add(a.tracer, func() { a.tracer.Close(context.Background()) })
	}
	if !settings.File.IsZero() || settings.Listen != "" {
		if err := a.count(settings); err != nil {
			a.close()
			return nil, &request.UsageError{What: err.Error(), Hint: "correct metrics.file"}
		}
	}
	sender, err := notify.New(noticesOf(of, w.Terminal, o.run, crew.Run, a.warn))
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
	home, _ := project.Folder(os.Getenv) // there are other places
	server, err := control.Serve(control.Options{
		ID: meta.ID, Folders: control.Folders(os.Getenv, home), Run: state.Status, Do: doer(w.Control),
		// The program that runs the loop is no part of it, and may steer it by any door.
		Inside: func(pid int) bool { return pid != os.Getpid() && proc.Descends(pid, os.Getpid()) },
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
		answer, err := c.Do(ctx, steer.Command{Name: cmd.Command, Text: cmd.Text, Key: cmd.Key, Value: cmd.Value, Question: cmd.Question, NoWait: cmd.NoWait, Inside: cmd.Inside})
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

// board is the place where the runs of this user note limits, as one run sees
// it: by the names of its agents.
type board struct {
	governor *governor.Board
	accounts map[string]string // by agent
	agents   map[string]string // by account
	models   map[string]string // by agent; empty: not known
	run      string
	tree     string
}

// openBoard opens the place where limits are noted. A rehearsal has no provider, and
// nobody knows whom a command asks.
func openBoard(a request.Assignment, l *lineup.Lineup, run string) (engine.Shared, func()) {
	if len(a.Request.Command) > 0 {
		return nil, func() {}
	}
	dir, err := project.Folder(os.Getenv)
	if err != nil {
		return nil, func() {} // no home: there is nobody to share with
	}
	b := &board{governor: governor.Open(dir), accounts: map[string]string{}, agents: map[string]string{}, models: map[string]string{l.Name(): a.Config().Model}, run: run, tree: a.Tree}
	for _, name := range l.Names() {
		if own := a.Request.Extensions.Agent; own != nil && own.Name == name {
			continue // nobody knows whom it asks either
		}
		if account := accountOf(name, a.Config().Agents[name].Env); account != "" {
			b.accounts[name], b.agents[account] = account, name
		}
	}
	return b, func() { _ = b.governor.Release(b.tree + "\x00" + run) } // what stays is past at its time
}

// accountOf tells whose limit an agent meets: the key that it bills, or else its
// own sign-in. No part of a key can be read from it.
func accountOf(name string, env map[string]string) string {
	if name == "rehearsal" && env[rehearsedAccount] == "" {
		return ""
	}
	for _, key := range append(agent.TraitsOf(name).Keys, rehearsedAccount) {
		value := env[key]
		if value == "" {
			value = os.Getenv(key)
		}
		if value != "" {
			sum := sha256.Sum256([]byte(key + "=" + value))
			return name + "/" + hex.EncodeToString(sum[:6])
		}
	}
	return name
}

// concerns tells whether a limit of that kind is one for the model: some are of a
// family of models, which the kind names.
func concerns(kind, model string) bool {
	family, of := strings.CutPrefix(kind, "weekly_")
	return !of || model == "" || strings.Contains(strings.ToLower(model), family)
}

// rehearsedAccount makes a rehearsal take part: its limits are those of this
// made-up account.
const rehearsedAccount = "REFRAIN_REHEARSAL_ACCOUNT"

func (b *board) Noted(now time.Time) ([]loop.ProviderHold, error) {
	var accounts []string
	for account := range b.agents {
		accounts = append(accounts, account)
	}
	found, err := b.governor.Look(accounts, now)
	var list []loop.ProviderHold
	for account, e := range found {
		if e.Run == b.run && e.Tree == b.tree || !concerns(e.Kind, b.models[b.agents[account]]) {
			continue // this run has it in its own journal, or uses another model
		}
		list = append(list, loop.ProviderHold{
			Agent: b.agents[account], Kind: loop.ErrUsageLimit, Since: e.At, At: e.At, Tries: 1, By: e.Run + " in " + e.Tree,
			Limit: &loop.Limit{Kind: e.Kind, Until: e.Ends()},
		})
	}
	return list, tolerable(err)
}

func (b *board) Note(a loop.ProviderHold) error {
	account, ok := b.accounts[a.Agent]
	if !ok {
		return nil
	}
	e := governor.Entry{Account: account, Agent: a.Agent, Kind: string(a.Kind), At: a.At, Run: b.run, Tree: b.tree}
	if a.Limit != nil {
		e.Kind, e.Until = a.Limit.Kind, a.Limit.Until
	}
	return tolerable(b.governor.Note(e))
}

func (b *board) Passed(agent string, began time.Time) error {
	account, ok := b.accounts[agent]
	if !ok {
		return nil
	}
	return tolerable(b.governor.Clear(account, began))
}

func (b *board) Wake(agent string, at, now time.Time) (time.Time, error) {
	account, ok := b.accounts[agent]
	if !ok {
		return at, nil
	}
	wake, err := b.governor.Reserve(account, b.tree+"\x00"+b.run, at, now)
	return wake, tolerable(err)
}

// tolerable leaves out what is put right already: a damaged file was begun anew.
func tolerable(err error) error {
	var damaged *governor.DamagedError
	if errors.As(err, &damaged) {
		return nil
	}
	return err
}
