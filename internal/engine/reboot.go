package engine

import "github.com/refrain-loop/refrain/internal/loop"

// reboot drops the agent's session, because a rule or a person says so.
func (e *Engine) reboot(why string) {
	e.leave()
	s := e.snapshot()
	started := &loop.RunRebootStarted{Why: why}
	if s.Session != nil {
		started.Session = s.Session.ID
	}
	e.record(started, &loop.RunRebootFinished{Reboots: s.Totals.Reboots + 1})
}

// rebootIfAsked does what a person asked for while an iteration was under way.
func (e *Engine) rebootIfAsked() {
	if e.wants(func(w wishes) bool { return w.reboot }) {
		e.wish(func(w *wishes) { w.reboot = false })
		e.reboot("a person asked for it")
	}
}
