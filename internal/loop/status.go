package loop

// Status is what a run can be.
type Status string

// The states of a run. Crashed is never written down: it is what a reader
// concludes from a journal without an end whose lock is free.
const (
	Running     Status = "running"
	Waiting     Status = "waiting"
	Paused      Status = "paused"
	Rebooting   Status = "rebooting"
	Done        Status = "done"
	Exhausted   Status = "exhausted"
	Aborted     Status = "aborted"
	Stopped     Status = "stopped"
	CouldNotRun Status = "failed"
	Parked      Status = "parked"
	Crashed     Status = "crashed"
)

// Ended tells whether a run in this state is over: nobody runs it, be it that somebody
// goes on with it later.
func (s Status) Ended() bool {
	switch s {
	case Done, Exhausted, Aborted, Stopped, CouldNotRun, Parked, Crashed:
		return true
	}
	return false
}

// After is what a run is doing after an event: the one place that says so.
//
//	run.started, run.resumed ──► running ◄───────────────────────────────────────┐
//	                               │                                             │
//	                               ├─ run.waiting ────────► waiting ─ iteration.started
//	                               ├─ run.asked ──────────► waiting ─ run.answered
//	                               ├─ run.paused ─────────► paused ── run.unpaused
//	                               ├─ run.reboot_started ─► rebooting run.reboot_finished
//	                               ├─ run.parked ─────────► parked
//	                               └─ run.finished ───────► done, exhausted, aborted, stopped, failed
//
// A run that waits or is paused stays so while its session is made anew. No event
// says that it crashed: a reader that has looked at the lock knows.
func (s Status) After(p Payload) Status {
	switch p := p.(type) {
	case *RunStarted, *RunResumed, *RunUnpaused, *RunAnswered, *IterationStarted, *IterationFinished:
		return Running
	case *RunWaiting, *RunAsked:
		return Waiting
	case *RunPaused:
		return Paused
	case *RunRebootStarted:
		if s != Waiting && s != Paused {
			return Rebooting
		}
	case *RunRebootFinished:
		if s == Rebooting {
			return Running
		}
	case *RunParked:
		return Parked
	case *RunFinished:
		return p.State
	}
	return s
}
