package refrain

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// A run waits for the parts that a program brings while it calls them, and a part
// that waits for the run would make both wait for ever. Nothing that a part is given
// leads to its run's Control, so the goroutines are known in which parts are at
// work.

// inside is which parts are being called, by goroutine.
var inside = struct {
	sync.Mutex
	calls map[string][]call
}{calls: map[string][]call{}}

// call is one part at work.
type call struct {
	control *Control
	what    string // in words: "an observer"
	holds   bool   // nothing at all can happen in the run meanwhile
}

// working notes that these parts are at work in this goroutine, each called by the one
// before it. The function that it returns says that they have come back.
func working(calls []call) func() {
	id := goroutine()
	inside.Lock()
	defer inside.Unlock()
	inside.calls[id] = calls
	return func() {
		inside.Lock()
		defer inside.Unlock()
		delete(inside.calls, id)
	}
}

// atWork is the parts in which this goroutine is at work.
func atWork() []call {
	id := goroutine()
	inside.Lock()
	defer inside.Unlock()
	return inside.calls[id]
}

// calledInside is why a command cannot be waited for here; empty where it can.
func (c *Control) calledInside(command string) string {
	for _, one := range atWork() {
		if one.control.run() != c.run() && (c.wheel.id() == "" || one.control.wheel.id() != c.wheel.id()) {
			continue // the part of another run
		}
		if one.holds || command != "note" && command != "raise" {
			return "it is called in " + one.what + " of the run, which the run waits for: start a goroutine for it"
		}
	}
	return ""
}

// goroutine is the name of this one: "goroutine 12".
func goroutine() string {
	var b [64]byte
	head, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte(" ["))
	return string(head)
}

// guard calls a part of a program's, and waits for it. A panic of its would end the
// whole program, and runtime.Goexit the goroutine of the runner that called it: so it
// has a goroutine of its own, and either ends the run instead, at once, with an error
// that says who it was. Here it is for those who have to say something else then.
func (c *Control) guard(what string, holds bool, part func()) (err error) {
	calls := append(slices.Clone(atWork()), call{c, what, holds})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer working(calls)()
		back := false
		defer func() {
			if p := recover(); p != nil || !back {
				err = &PanicError{Who: what, Value: p, Stack: debug.Stack()}
			}
		}()
		part()
		back = true
	}()
	<-done
	if err != nil {
		c.breakDown(err)
	}
	return err
}

// looked is a run that is not to begin, for its options are only looked at. Nothing
// that goes wrong then ends the run that its control has, or may be given yet.
type looked struct{ wheel }

// looking is the control, or a new one, for options that are only looked at.
func looking(c *Control) *Control {
	if c == nil {
		c = NewControl()
	}
	return &Control{wheel: looked{c.wheel}}
}

// run is what tells one run from another, before they have an id.
func (c *Control) run() wheel {
	if l, only := c.wheel.(looked); only {
		return l.wheel
	}
	return c.wheel
}

// breakDown ends the run of this control with an error. Of options that are only
// looked at there is no run.
func (c *Control) breakDown(err error) {
	if at, ours := c.wheel.(*here); ours {
		at.breakDown(err)
	}
}

// watched is an observer of a program's, while whose work nothing can happen in the
// run. One that panics hears of nothing more.
type watched struct {
	Observer
	control *Control
	dead    bool
}

func (w *watched) Observe(e Event) {
	if !w.dead {
		w.dead = w.control.guard("an observer", true, func() { w.Observer.Observe(eventInGo(e)) }) != nil
	}
}

// breakDown ends the run with an error, the first that comes.
func (h *here) breakDown(err error) {
	h.mu.Lock()
	if h.broken == nil {
		h.broken = err
	}
	h.mu.Unlock()
	h.engine.Stop(loop.StopRequest{Now: true})
}

// brokenBy is why the run has to end with an error; nil: it has not.
func (h *here) brokenBy() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.broken
}
