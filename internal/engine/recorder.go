package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/text"
)

// Observer hears of every event after it was written down, one at a time.
type Observer interface{ Observe(loop.Event) }

// Recorder is the memory of a run. Whatever happens goes through it: it takes out
// what is secret, writes an event to the journal, adds it to the state, and shows
// it to the observers, in this order.
//
// Everything below mu is guarded by it, and observers are called with it held.
type Recorder struct {
	log   func([]loop.Event) // nil: nothing is kept
	clock Clock
	hide  *redact.Redactor

	mu        sync.Mutex
	observers []Observer
	heard     func(loop.Type, loop.Status) // the desk, which waits for events
	state     loop.State
	last      *loop.Outcome // of the last attempt that was finished
	iter      int           // 0: no attempt is under way
	attempt   int
	status    loop.Status
	since     []loop.Event    // that the state has grown by since it was handed over
	warned    map[string]bool // what this runner has warned of, and need not again
	lost      *LostError      // the run is no longer ours: nothing more is taken in

	troubleMu sync.Mutex
	trouble   []string
}

func newRecorder(o Options) *Recorder {
	r := &Recorder{clock: o.Clock, hide: o.Hide, observers: o.Observers, state: o.Past.State, status: loop.Running, warned: map[string]bool{}}
	if o.Journal != nil {
		r.log = o.Journal.AppendAll
		o.Journal.OnTrouble(r.noteTrouble)
	}
	if o.Past.Last != nil {
		last := o.Past.Last.Payload.(*loop.IterationFinished).Outcome
		r.last = &last
	}
	return r
}

// AddObserver has another observer hear of every event, before those there are.
func (r *Recorder) AddObserver(o Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observers = append([]Observer{o}, r.observers...)
}

// Record takes in what happened.
func (r *Recorder) Record(payloads ...loop.Payload) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(payloads...)
}

func (r *Recorder) record(raw ...loop.Payload) {
	if r.lost != nil {
		return
	}
	payloads := redact.In(r.hide, raw)
	events := make([]loop.Event, len(payloads))
	at := r.Now()
	for i, p := range payloads {
		events[i] = loop.Event{Time: at, Iter: r.iter, Attempt: r.attempt, Payload: p}
		if finished, ok := p.(*loop.IterationFinished); ok {
			finished.State = r.state.Sum(events[i]).Carried()
		}
		events[i].Payload = brief(p)
	}
	if r.log != nil {
		r.log(events)
	}
	for i, ev := range events {
		ev.Payload = payloads[i]
		r.follow(ev)
		for _, o := range r.observers {
			o.Observe(ev)
		}
		r.heard(ev.Type(), r.status)
	}
}

// follow adds an event to what is known of the run.
func (r *Recorder) follow(ev loop.Event) {
	if ev.Type().Kept() {
		r.state = r.state.Sum(ev)
		r.since = append(r.since, ev)
	}
	r.status = r.status.After(ev.Payload)
	if p, ok := ev.Payload.(*loop.IterationFinished); ok {
		last := p.Outcome
		r.last = &last
	}
}

// HandOver gives the state to who goes on with the run: the driver to the stepper,
// and that to the driver.
func (r *Recorder) HandOver() loop.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = nil
	return r.state
}

// TakeOver goes on with a state that was handed over. What was written down since
// is added to it: people say something at any time.
func (r *Recorder) TakeOver(s loop.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ev := range r.since {
		s = s.Sum(ev)
	}
	r.state = s
}

// State is the sum of all that happened so far.
func (r *Recorder) State() loop.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Last is the outcome of the attempt before; nil when there was none.
func (r *Recorder) Last() *loop.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Status is what a person would say that the run is doing.
func (r *Recorder) Status() loop.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// Between tells whether no attempt is under way.
func (r *Recorder) Between() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.iter == 0
}

// Event is something that happens now, as the journal would have it.
func (r *Recorder) Event(p loop.Payload) loop.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return loop.Event{Time: r.Now(), Iter: r.iter, Attempt: r.attempt, Payload: redact.In(r.hide, p)}
}

// Now is the time as the journal writes it: what is added up from the journal
// later must equal what is added up here.
func (r *Recorder) Now() time.Time { return r.clock.Now().UTC().Truncate(time.Millisecond) }

// Enter says that an attempt is under way: what follows belongs to it.
func (r *Recorder) Enter(iter, attempt int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.iter, r.attempt = iter, attempt
}

// leave says that none is: what follows belongs to the run.
func (r *Recorder) leave() { r.Enter(0, 0) }

// Warn tells people something, once for each key. A runner that goes on with the
// run says it again, if it still holds: who sits before it has not heard it.
func (r *Recorder) Warn(key string, w loop.Warning) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.warned[key] {
		return
	}
	r.warned[key] = true
	r.record(&w)
}

// WarnOnce tells people something, once a run for each key of a warning, whoever
// runs it.
func (r *Recorder) WarnOnce(w loop.Warning) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.state.WarnedKeys, w.Key) {
		r.record(&w)
	}
}

// Tell warns of what went wrong beside the loop, once for each text. It tells
// whether there was still a run to write it to.
func (r *Recorder) Tell(w loop.Warning) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status.Ended() {
		return false
	}
	if key := "beside " + w.Text; !r.warned[key] {
		r.warned[key] = true
		r.record(&w)
	}
	return true
}

// Refused writes down what the sandbox has refused, once a run. It tells whether there
// was still a run to write it to.
func (r *Recorder) Refused(p *loop.SandboxRefused) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status.Ended() {
		return false
	}
	if !slices.ContainsFunc(r.state.SandboxRefusals, func(old loop.SandboxRefused) bool { return old.Same(p) }) {
		r.record(p)
	}
	return true
}

// noteTrouble hears that something could not be saved. It may be called from
// inside a write, so it only takes note; flushTrouble says it.
func (r *Recorder) noteTrouble(what string) {
	r.troubleMu.Lock()
	defer r.troubleMu.Unlock()
	r.trouble = append(r.trouble, what)
}

func (r *Recorder) flushTrouble() {
	r.troubleMu.Lock()
	list := r.trouble
	r.trouble = nil
	r.troubleMu.Unlock()
	if len(list) > 0 {
		r.Warn("trouble", loop.Warning{
			Text: "cannot save " + list[0] + "; the loop goes on from memory",
			Hint: "free disk space or make the state folder writable; what is missing is named at the end",
			Key:  loop.UnsavedKey,
		})
	}
}

// How much of one text, and of one tool's result, is written down as an event.
// The transcript beside it has everything.
const (
	maxText   = 64 << 10
	maxOutput = 4 << 10
)

// brief is a payload as it is written down: with what is long cut.
func brief(p loop.Payload) loop.Payload {
	switch p := p.(type) {
	case *loop.AgentText:
		if len(p.Text) > maxText {
			return &loop.AgentText{Text: text.Cut(p.Text, maxText), Cut: true, Plain: p.Plain}
		}
	case *loop.AgentToolResult:
		if len(p.Output) > maxOutput {
			short := *p
			short.Output = text.Cut(p.Output, maxOutput) + "…"
			return &short
		}
	}
	return p
}
