package engine

import (
	"github.com/refrain-loop/refrain/internal/loop"
)

// A run is parked between two steps: its runner leaves it as it is, for itself or for
// another one to go on with. It has no end, so no hook of the end runs, and nothing is
// counted; a resume goes on with it as after a crash, and finds nothing to settle.

// leaving tells why the runner is to leave the run before what comes next, if it is. A
// wish to stop comes first.
func (d *Driver) leaving(next loop.Verdict) (why string, yes bool) {
	switch {
	case d.Desk.Asked() != nil:
		return "", false
	case d.Desk.Parking():
		return "a person asked for it", true
	}
	return d.relay.leave(next, d.Desk.Pausing())
}

// park writes down that the runner leaves the run. Next is what it would have done.
func (d *Driver) park(next loop.Verdict, why string) loop.RunFinished {
	d.leave()
	d.flushTrouble()
	p := &loop.RunParked{Why: why}
	if until := wholeMillis(d.wakeTime(next)); next.Action == loop.Wait && until.After(d.Now()) {
		p.Rule, p.Until = next.Rule, until
	}
	if asked := d.Unanswered; asked != nil && !asked.Until.IsZero() {
		p.Rule, p.Until = loop.RuleAsked, asked.Until
	}
	d.Record(p)
	s := d.State()
	return loop.RunFinished{State: loop.Parked, Why: why, Elapsed: s.Live, Totals: s.Totals, Net: s.Net, Later: s.Later}
}
