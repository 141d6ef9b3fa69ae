package engine

import "github.com/refrain-loop/refrain/internal/loop"

// hold stays before the next iteration as long as a person wants it to.
func (e *Engine) hold() {
	if !e.pausing() {
		return
	}
	e.untouched = nil // people work while the loop is paused
	e.leave()
	e.record(&loop.RunPaused{})
	for e.Control.Asked() == nil && e.pausing() {
		e.Clock.Sleep(slice, e.Control.stir)
		e.rebootIfAsked()
		if e.ask().Action == loop.Stop {
			break
		}
	}
	e.record(&loop.RunUnpaused{})
}

// pausing tells whether a person wants nothing to begin.
func (e *Engine) pausing() bool { return e.wants(func(w wishes) bool { return w.pause }) }
