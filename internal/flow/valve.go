package flow

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// How often a worker draws.
const (
	drawEvery = 10 * time.Second
	drawTime  = 5 * time.Second // that an answer may take
	// lastTime is how long a worker that leaves tries to tell what it has used, and how
	// often. What it does not get told by then is counted nowhere.
	lastTime  = 20 * time.Second
	lastEvery = 500 * time.Millisecond
)

// valve lets a worker have no more legs than its portion of the account has room for. Who
// gets no room leaves the legs on the queue, to others.
type valve struct {
	worker string
	want   int
	ask    func(context.Context, drawn) (fleet.Portion, error)

	session string
	wake    chan struct{} // there is something to say to the account

	mu      sync.Mutex
	changed chan struct{} // closed when something below has changed
	polls   int           // legs of the queue that may come, or are here
	near    int           // legs of this worker's own queue, or that a person hurries
	busy    int           // all that are here
	shut    bool
	portion fleet.Portion
	spent   float64   // that the account was not told of
	tokens  int64     // likewise
	until   time.Time // a limit that was met, and not told
	said    drawn     // last
	saying  bool      // it was not answered
	deaf    bool      // and that was said
}

func newValve(name string, want int, ask func(context.Context, drawn) (fleet.Portion, error)) *valve {
	return &valve{worker: name, want: want, ask: ask, session: rand.Text(), wake: make(chan struct{}, 1), changed: make(chan struct{})}
}

// tell says to all who wait that something has changed. The lock is held.
func (v *valve) tell() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// serve draws again and again, until ctx is done.
func (v *valve) serve(ctx context.Context) {
	for {
		v.draw(ctx, false)
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-time.After(drawEvery):
		}
	}
}

// end gives the portion back, and says all that was used.
func (v *valve) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastTime)
	defer cancel()
	for {
		v.draw(ctx, true)
		usd, tokens := v.untold()
		switch {
		case usd == 0 && tokens == 0:
			return
		case ctx.Err() != nil:
			slog.Error("the account of the queue was not told all that was spent", "worker", v.worker, "usd", usd, "tokens", tokens)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(lastEvery):
		}
	}
}

// untold is what the account has not said that it has counted.
func (v *valve) untold() (usd float64, tokens int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	usd, tokens = v.spent, v.tokens
	if v.saying {
		usd, tokens = usd+v.said.Spent, tokens+v.said.Tokens
	}
	return usd, tokens
}

// draw says what was used and gets a portion. What was said and not answered may have been
// counted or not: it is said again under the same number, until an answer comes.
func (v *valve) draw(ctx context.Context, gone bool) {
	v.mu.Lock()
	if !v.saying {
		v.saying = true
		v.said = drawn{Session: v.session, Number: v.said.Number + 1, Draw: fleet.Draw{Worker: v.worker, Spent: v.spent, Tokens: v.tokens}}
		v.spent, v.tokens = 0, 0
	}
	d := v.said
	d.Busy, d.Want, d.Until, d.Gone = v.busy, v.want, v.until, gone
	v.mu.Unlock()
	try, cancel := context.WithTimeout(ctx, drawTime)
	defer cancel()
	p, err := v.ask(try, d)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil && !v.deaf {
			v.deaf = true
			slog.Warn("the account of the queue does not answer: the worker keeps to what it has", "worker", v.worker, "error", err)
		}
		return
	}
	v.deaf = false
	v.saying, v.portion = false, p
	if v.until.Equal(d.Until) {
		v.until = time.Time{}
	}
	if v.spent > 0 || v.tokens > 0 {
		v.say()
	}
	v.tell()
}

// room tells whether one more leg may be here. One that a person hurries does not mind a
// limit that others wait for. The lock is held.
func (v *valve) room(now time.Time, have int, hurry bool) bool {
	if v.shut || v.portion.Broke || have >= min(v.portion.Slots, v.want) || !now.Before(v.portion.Ends) {
		return false
	}
	return hurry || !now.Before(v.portion.Until) && !now.Before(v.until)
}

// next is when there may be room by time alone.
func (v *valve) next(now time.Time) time.Duration {
	at := v.portion.Until
	if v.until.After(at) {
		at = v.until
	}
	if wait := at.Sub(now); wait > 0 {
		return wait
	}
	return drawEvery
}

// enter takes room for a leg that has come, and tells whether there is any. Near is one
// that had no room kept for it.
func (v *valve) enter(near, hurry bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.room(time.Now(), v.busy, hurry) {
		return false
	}
	v.busy++
	if near {
		v.near++
	}
	v.tell()
	return true
}

// leave gives the room back.
func (v *valve) leave(near bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.busy--
	if near {
		v.near--
	}
	v.tell()
}

// empty waits until no leg is here, and tells whether that came about in time.
func (v *valve) empty(within time.Duration) bool {
	late := time.After(within)
	for {
		v.mu.Lock()
		busy, changed := v.busy, v.changed
		v.mu.Unlock()
		if busy == 0 {
			return true
		}
		select {
		case <-changed:
		case <-late:
			return false
		}
	}
}

// close lets no leg in any more.
func (v *valve) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = true
	v.tell()
}

// closed tells whether the worker leaves.
func (v *valve) closed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shut
}

// hold tells all of the queue of a limit that was met here.
func (v *valve) hold(until time.Time) {
	v.mu.Lock()
	if until.After(v.until) {
		v.until = until
	}
	v.mu.Unlock()
	v.say()
}

// say has the account told soon.
func (v *valve) say() {
	select {
	case v.wake <- struct{}{}:
	default: // it is about to be
	}
}

// spend tells the account what an iteration has cost, and whether there is more to spend,
// as far as the account says so soon.
func (v *valve) spend(usd float64, tokens int64) (broke bool) {
	v.mu.Lock()
	v.spent += max(0, usd)
	v.tokens += max(0, tokens)
	v.mu.Unlock()
	v.say()
	late := time.After(drawTime)
	for {
		v.mu.Lock()
		broke, said, changed := v.portion.Broke, !v.saying && v.spent == 0 && v.tokens == 0, v.changed
		v.mu.Unlock()
		if said {
			return broke
		}
		select {
		case <-changed:
		case <-late:
			return broke
		}
	}
}

// The server's SDK asks for a slot before it asks for a leg.

// ReserveSlot waits for room.
func (v *valve) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	return v.reserve(ctx, func(now time.Time) bool {
		if !v.room(now, v.polls+v.near, false) {
			return false
		}
		v.polls++
		return true
	})
}

// reserve waits until a slot is taken. The lock is held while take is asked.
func (v *valve) reserve(ctx context.Context, take func(now time.Time) bool) (*worker.SlotPermit, error) {
	for {
		v.mu.Lock()
		now := time.Now()
		if take(now) {
			v.mu.Unlock()
			return &worker.SlotPermit{}, nil
		}
		changed, next := v.changed, v.next(now)
		v.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(next):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// TryReserveSlot is for legs that are pressed upon a worker: it takes none.
func (v *valve) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

// MarkSlotUsed is of no interest: a leg enters by itself.
func (v *valve) MarkSlotUsed(worker.SlotMarkUsedInfo) {}

// ReleaseSlot hears that a leg is over, or that none came.
func (v *valve) ReleaseSlot(worker.SlotReleaseInfo) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.polls--
	v.tell()
}

// MaxSlots is not fixed.
func (v *valve) MaxSlots() int { return 0 }

// hurried is the valve for legs that a person does not want to wait. It keeps no room for
// them, or a worker with one slot would ask for nothing else.
type hurried struct{ *valve }

// ReserveSlot waits for room, and for no limit.
func (h hurried) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	return h.reserve(ctx, func(now time.Time) bool { return h.room(now, h.busy, true) })
}

// ReleaseSlot has nothing to give back.
func (h hurried) ReleaseSlot(worker.SlotReleaseInfo) {}
