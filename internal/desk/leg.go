package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
)

// leg is one leg, as long as it is live.
type leg struct {
	fleet.Spec
	Leg    int
	told   string // what the ref was at when a leg last told; empty: none has
	orders []fleet.Order
	rush   bool // a person does not want to wait for what it waits for
	hooks  fleet.Hooks

	desk    *Desk
	control *app.Control
	held    *carry.Held
	moved   bool // it was brought here for this leg
	began   time.Time
	done    chan struct{} // closed when it is over
	asked   chan struct{} // closed when a person is asked something
	ordered chan struct{} // closed when the orders that came with it are given
	replied chan struct{} // closed when those are that answer a question

	listens context.Context // done when nobody takes orders any more
	deafen  context.CancelFunc

	mu        sync.Mutex
	why       string             // it is to be left
	hurry     context.CancelFunc // ends what is waited for
	overtaken bool               // a later leg is here
	at        string             // what the ref is at
	sure      time.Time          // when it was last certain that the run is ours
	seen      sight
}

func newLeg(d *Desk, t fleet.Turn, h fleet.Hooks) *leg {
	l := &leg{
		Spec: t.Spec, Leg: t.Leg, told: t.At, orders: t.Orders, rush: t.Hurry, hooks: h, desk: d, control: app.NewControl(),
		done: make(chan struct{}), asked: make(chan struct{}), ordered: make(chan struct{}), replied: make(chan struct{}), hurry: func() {},
		seen: sight{first: -1},
	}
	l.listens, l.deafen = context.WithCancel(context.Background())
	return l
}

// run does the leg: it takes the run, and drives it until it is over, left or lost.
func (l *leg) run(ctx context.Context) (fleet.Standing, error) {
	var err error
	if l.held, err = l.sitDown(ctx); err != nil {
		return l.unbegun(overtime(ctx, err))
	}
	l.setAt(l.held.At())
	l.tellProgress(loop.Running)
	end, err := l.drive(ctx)
	var lost *engine.LostError
	if errors.As(err, &lost) {
		return l.lost(lost.Err)
	}
	if err != nil && end.State == "" {
		return l.unbegun(errors.Join(err, l.release(ctx)))
	}
	if l.held.Card().Held { // the engine had nothing to do, or could not keep it
		if err := l.release(ctx); err != nil {
			var taken *carry.TakenError
			if errors.As(err, &taken) {
				return l.lost(taken)
			}
		}
	}
	return l.standing(end), nil
}

// drive begins the run, or goes on with it.
func (l *leg) drive(ctx context.Context) (loop.RunFinished, error) {
	go l.order()
	l.began = time.Now()
	options := app.RunOptions{
		Observers: []app.Observer{l}, Control: l.control, Version: l.desk.Version, ID: l.ID,
		Relay: relay{l}, MostLost: l.desk.MostLost, Hurry: l.rush,
	}
	work := context.WithoutCancel(ctx) // a wish to leave is told by the control
	if !l.held.HasRecords() {
		var req request.Request
		if err := json.Unmarshal(l.Request, &req); err != nil {
			return loop.RunFinished{}, fmt.Errorf("read what is wanted of %s: %w", l.Name, err)
		}
		req.Words, req.Consent = l.Words, request.Given // the pattern that lets the remote in is the consent
		job, err := app.Prepare(ctx, l.held.Tree(), req)
		if err != nil {
			return loop.RunFinished{}, err
		}
		return job.Start(work, options)
	}
	entry, err := journal.Border{Store: l.held.Store()}.Load(l.ID)
	if err != nil {
		return loop.RunFinished{}, err
	}
	l.seen.start(entry, l.held.Card().Told)
	if l.seen.owes() { // its last worker died before it could say so
		l.spend()
	}
	// Who hands a run over that has ended wants more of it. Where a worker has ended it,
	// only the word of that was lost.
	options.StayOver = l.held.Found().Fleet
	if entry.Finished != nil && options.StayOver {
		return *entry.Finished, nil
	}
	c, err := l.prepare(ctx, entry)
	if err != nil {
		return loop.RunFinished{}, err
	}
	end, started, err := c.Resume(work, options, nil)
	if err == nil && !started {
		l.seen.ended(end)
	}
	return end, err
}

// prepare has a run go on. One that was somewhere else meets other settings of a machine
// here, which are no agent's doing.
func (l *leg) prepare(ctx context.Context, entry journal.Entry) (*app.Continuation, error) {
	if l.moved {
		return app.PrepareMoved(ctx, entry, request.Given)
	}
	return app.PrepareResume(ctx, entry, nil, false, request.Given)
}

// order gives the run the orders that came with the leg, before its first step.
func (l *leg) order() {
	late := []fleet.Order{}
	for _, o := range l.orders {
		if o.Command == "approve" { // there is a question first
			late = append(late, o)
			continue
		}
		cmd := command(o)
		cmd.NoWait = true
		_, _ = l.control.Do(context.Background(), cmd) // the journal says what came of it
	}
	close(l.ordered)
	defer close(l.replied)
	for _, o := range late {
		select {
		case <-l.asked:
			cmd := command(o)
			cmd.NoWait = true
			_, _ = l.control.Do(context.Background(), cmd)
		case <-l.done:
		}
	}
}

// tell gives the live run an order. Who comes too late for this leg is told so, and says
// it to the next one.
func (l *leg) tell(ctx context.Context, o fleet.Order) (fleet.Answer, error) {
	if l.listens.Err() != nil {
		return fleet.Answer{}, l.notLive()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.listens, cancel)()
	a, err := l.control.Do(ctx, command(o))
	if a.Late || err != nil && l.listens.Err() != nil {
		return fleet.Answer{}, l.notLive()
	}
	if err != nil {
		return fleet.Answer{}, err
	}
	if !a.OK {
		return fleet.Answer{State: a.State, Why: a.Effect}, nil
	}
	return fleet.Answer{OK: true, Effect: a.Effect, State: a.State}, nil
}

func (l *leg) notLive() error { return notLive(l.ID, l.Leg, l.desk.Worker) }

// leave has the leg left, between two steps or at once.
func (l *leg) leave(why string, now bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == "" {
		l.why = why
	}
	if now {
		l.control.Leave()
		l.hurry()
	}
	l.control.Wake()
}

// overtake says that a later leg of the run is here, so that this one has lost it.
func (l *leg) overtake() {
	l.mu.Lock()
	l.overtaken = true
	l.mu.Unlock()
	l.leave("a later leg of it is here", true)
}

func (l *leg) isOvertaken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.overtaken
}

func (l *leg) leaves() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

func (l *leg) setAt(at string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = at
	l.sure = wall()
}

// isSure says that the run was ours at a time, and tells when that was last so.
func (l *leg) isSure(at time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at.After(l.sure) {
		l.sure = at
	}
	return l.sure
}

func (l *leg) whereAt() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// release gives the run to anybody, as its records are. Where there are none, who comes
// next begins it.
func (l *leg) release(ctx context.Context) error {
	if !l.held.HasRecords() {
		return nil
	}
	return relay{l}.Keep(context.WithoutCancel(ctx), engine.Left, "")
}
