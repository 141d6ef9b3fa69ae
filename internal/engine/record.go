package engine

import (
	"github.com/refrain-loop/refrain/internal/loop"
)

// record writes events to the journal, adds them to the state, and shows them
// to the observers, in this order.
func (e *Engine) record(payloads ...loop.Payload) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recordLocked(payloads...)
}

func (e *Engine) recordLocked(payloads ...loop.Payload) {
	events := make([]loop.Event, len(payloads))
	at := e.now()
	for i, p := range payloads {
		events[i] = loop.Event{Time: at, Iter: e.iter, Attempt: e.attempt, Payload: p}
		if finished, ok := p.(*loop.IterationFinished); ok {
			finished.State = e.state.Sum(events[i])
		}
		events[i].Payload = brief(p)
	}
	e.Journal.AppendAll(events)
	for i, ev := range events {
		ev.Payload = payloads[i]
		if ev.Type().Kept() {
			e.state = e.state.Sum(ev)
		}
		e.follow(ev.Payload)
		for _, o := range e.Observers {
			o.Observe(ev)
		}
		e.acknowledge(ev.Type())
	}
}

// follow keeps what a person would say that the run is doing.
func (e *Engine) follow(p loop.Payload) {
	switch p := p.(type) {
	case *loop.RunWaiting:
		e.waiting = true
	case *loop.IterationStarted:
		e.waiting = false
		e.wishes.hurry = false // what was to be hurried on has begun
	case *loop.RunPaused, *loop.RunAsked:
		e.waiting = false
	case *loop.RunFinished:
		e.ended = p.State
	}
}

// leave says that no attempt is under way: what follows belongs to the run.
func (e *Engine) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.iter, e.attempt = 0, 0
}

func (e *Engine) snapshot() loop.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// warn tells people something, once a run for each key.
func (e *Engine) warn(key string, w loop.Warning) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.warned[key] {
		return
	}
	e.warned[key] = true
	e.recordLocked(&w)
}

// Tell warns of what went wrong beside the loop, once for each text. It tells
// whether there was still a run to write it to.
func (e *Engine) Tell(w loop.Warning) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended != "" {
		return false
	}
	if key := "beside " + w.Text; !e.warned[key] {
		e.warned[key] = true
		e.recordLocked(&w)
	}
	return true
}

// noteTrouble hears that something could not be saved. It may be called from
// inside a write, so it only takes note; flushTrouble says it.
func (e *Engine) noteTrouble(what string) {
	e.troubleMu.Lock()
	defer e.troubleMu.Unlock()
	e.trouble = append(e.trouble, what)
}

func (e *Engine) flushTrouble() {
	e.troubleMu.Lock()
	list := e.trouble
	e.trouble = nil
	e.troubleMu.Unlock()
	if len(list) > 0 {
		e.warn("trouble", loop.Warning{
			Text: "cannot save " + list[0] + "; the loop goes on from memory",
			Hint: "free disk space or make the state folder writable; what is missing is named at the end",
			Key:  loop.UnsavedKey,
		})
	}
}
