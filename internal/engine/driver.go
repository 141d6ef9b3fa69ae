package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Stepper makes the steps of a run. It is given the state and gives the state
// after: nothing else is carried from step to step. One that writes to the memory
// of the driver's run takes the state over there, and hands it over.
type Stepper interface {
	// Open does what comes before the first step of a runner, and says how to go
	// on.
	Open(context.Context, loop.State) (loop.State, loop.Verdict, error)
	// Step makes one attempt.
	Step(context.Context, loop.State) (loop.State, loop.Verdict, error)
	// Skip leaves one out.
	Skip(context.Context, loop.State) (loop.State, loop.Verdict, error)
	// Close gives the last word: the verdict that the run ends with, unless there
	// is a reason not to believe it.
	Close(loop.Verdict, error) (loop.Verdict, error)
	// Ended hears of the end just before it is written down.
	Ended(*loop.RunFinished)
}

// Driver drives a run from step to step: it decides, waits, pauses, asks, steps,
// and finishes. It knows nothing of agents, trees and gates; the stepper does. On
// the stepper and the clock of package whatif it decides a recorded run again.
//
//	open ─► ┌─► reboot? wait? ─► pause? ─► park? ─► rules ─► ask a person? ─► step ─┐ ─► finish
//	        └───────────────────────────────────◄───────────────────────────────────┘
type Driver struct {
	*Kit
	Stepper  Stepper
	Start    loop.Payload   // run.started or run.resumed
	Warnings []loop.Warning // what people should know before the first iteration
	Asking   Asking
	Draft    Draft // of the next prompt, for a person to change; nil: there is none
	// Unanswered is a question that the run was left with, whose time goes on.
	Unanswered *loop.RunAsked
	Guard      func() error // asked before every step whether the run is still ours; nil: it is
	// Broken is why the run has to end with an error whatever the rules say: something
	// that was brought to it does not work any more. Nil: never.
	Broken func() error
}

// Run steps until a rule says stop, and returns the run's last event. A done
// ctx is a wish to stop at once. Whatever happens, a panic included, the run
// gets its end written down; unless it is parked, which is an end in the state Parked
// that is no event, or lost to another runner, which is a *LostError.
func (d *Driver) Run(ctx context.Context) (end loop.RunFinished, err error) {
	defer context.AfterFunc(ctx, func() { d.Desk.Stop(loop.StopRequest{Now: true}) })()
	defer d.Desk.End()
	stopListening := d.Desk.Listen()
	defer stopListening() // also when its goroutine is made to end
	defer func() {
		if p := recover(); p != nil {
			stopListening()
			// The reason is one sentence; where it happened is for who reads the error.
			end = d.finish(broken(fmt.Errorf("panic in the runner: %v", p)))
			err = fmt.Errorf("panic in the runner: %v\n%s", p, debug.Stack())
		}
	}()

	d.Record(d.Start)
	for _, w := range d.Warnings {
		d.Record(&w)
	}
	work := context.WithoutCancel(ctx)
	v, err := d.let(work, d.Stepper.Open)
	v = d.confirm(v)
	for err == nil && v.Action != loop.Stop {
		d.between(v)
		d.waitWhilePaused()
		if why, yes := d.leaving(v); yes {
			if v, err = d.Stepper.Close(v, nil); err == nil && v.Action != loop.Stop {
				stopListening()
				return d.left(work, d.park(v, why))
			}
			break
		}
		if v = d.Decide(nil); v.Action == loop.Stop {
			break
		}
		if v.Action != loop.Continue { // what an earlier runner, or another run, has left to do first
			continue
		}
		if d.Guard != nil {
			if err = d.Guard(); err != nil {
				break
			}
		}
		v, err = d.step(work)
		v = d.confirm(v)
	}
	stopListening() // the end is the last event
	if lost := d.Lost(); lost != nil {
		return loop.RunFinished{}, lost
	}
	if err == nil {
		err = d.broken()
	}
	if v, err = d.Stepper.Close(v, err); err != nil {
		end, _ = d.left(work, d.finish(broken(err)))
		return end, err
	}
	if end, err = d.left(work, d.finish(v)); err == nil {
		err = d.broken() // it may have come with the end
	}
	return end, err
}

// left keeps a run that is parked or has ended. That it could not be kept is an end of
// its own only where it is somebody else's.
func (d *Driver) left(ctx context.Context, end loop.RunFinished) (loop.RunFinished, error) {
	if d.relay.keep(ctx, Left) {
		return end, nil
	}
	if lost := d.Lost(); lost != nil {
		return loop.RunFinished{}, lost
	}
	end.Unsaved = append(end.Unsaved, "the copy that others go on with: "+d.relay.stuck.Error())
	return end, nil
}

func (d *Driver) broken() error {
	if d.Broken == nil {
		return nil
	}
	return d.Broken()
}

// let has the stepper do something with the state, and goes on with the state that
// comes of it.
func (d *Driver) let(ctx context.Context, do func(context.Context, loop.State) (loop.State, loop.Verdict, error)) (loop.Verdict, error) {
	after, v, err := do(ctx, d.HandOver())
	if err == nil {
		d.TakeOver(after)
	}
	return v, err
}

// step makes a step, after a person who wants to be asked has said so.
func (d *Driver) step(ctx context.Context) (loop.Verdict, error) {
	answer := d.askBefore(ctx)
	if answer == left {
		return loop.Verdict{Action: loop.Continue}, nil
	}
	d.waitWhilePaused() // a person may have wanted that instead of an answer
	if v := d.Decide(nil); v.Action == loop.Stop {
		return v, nil
	}
	if _, yes := d.leaving(loop.Verdict{Action: loop.Continue}); yes && answer == GoOn {
		return loop.Verdict{Action: loop.Continue}, nil
	}
	switch answer {
	case Halt:
		return d.halted(), nil
	case Fresh:
		d.reboot("a person asked for it")
	case Skip:
		return d.let(ctx, d.Stepper.Skip)
	}
	d.rebootIfAsked()
	return d.let(ctx, d.Stepper.Step)
}

// between does what a verdict says to do before the next step.
func (d *Driver) between(v loop.Verdict) {
	if v.Action == loop.Reboot {
		d.reboot(v.Why)
	}
	d.rebootIfAsked()
	if !v.Until.IsZero() {
		d.wait(v)
	}
	d.warnOfBudgets()
}

// finish writes the rule that ended the run, and the end.
func (d *Driver) finish(v loop.Verdict) loop.RunFinished {
	d.leave()
	d.Record(&loop.RunRule{Verdict: v})
	d.flushTrouble()
	state := d.State()
	end := loop.RunFinished{
		State: v.State, Reason: v.Reason, Why: v.Why, Proven: v.Proven, Proof: v.Proof, Net: state.Net, Later: state.Later,
		Elapsed: state.Live, Totals: state.Totals,
	}
	if a := d.Desk.Asked(); a != nil && v.Reason == loop.BySignal {
		end.Signal = a.Signal
	}
	d.Stepper.Ended(&end)
	d.Record(&end)
	return end
}

func broken(err error) loop.Verdict {
	return loop.Verdict{Action: loop.Stop, Rule: "error", State: loop.CouldNotRun, Reason: loop.ByError, Why: err.Error()}
}

// reboot drops the agent's session, because a rule or a person says so.
func (d *Driver) reboot(why string) {
	d.leave()
	s := d.State()
	started := &loop.RunRebootStarted{Why: why}
	if s.Session != nil {
		started.Session = s.Session.ID
	}
	d.Record(started, &loop.RunRebootFinished{Reboots: s.Totals.Reboots + 1})
}

// rebootIfAsked does what a person asked for while an iteration was under way.
func (d *Driver) rebootIfAsked() {
	if d.Desk.TakeReboot() {
		d.reboot("a person asked for it")
	}
}

// waitWhilePaused stays before the next iteration as long as a person wants it to.
func (d *Driver) waitWhilePaused() {
	if !d.Desk.Pausing() {
		return
	}
	d.leave()
	d.Record(&loop.RunPaused{})
	for d.Desk.Asked() == nil && d.Desk.Pausing() {
		if _, yes := d.leaving(loop.Verdict{Action: loop.Continue}); yes {
			return
		}
		d.Clock.Sleep(slice, d.Desk.Woken())
		d.rebootIfAsked()
		if d.Decide(nil).Action == loop.Stop {
			break
		}
	}
	d.Record(&loop.RunUnpaused{})
}

// wait lets time pass as the verdict says. A wish to stop ends it at once, and
// so do a person's wish to go on and a rule that has come to say stop.
func (d *Driver) wait(v loop.Verdict) {
	d.leave()
	until := wholeMillis(d.wakeTime(v))
	d.Record(v.Waiting(d.Now(), until))
	for {
		left := until.Sub(d.Clock.Now())
		d.rebootIfAsked()
		if _, yes := d.leaving(v); yes {
			return
		}
		if left <= 0 || d.Desk.Asked() != nil || d.Desk.Hurried() || d.Desk.Pausing() || d.Decide(nil).Action == loop.Stop || d.freed(v) {
			return
		}
		d.Clock.Sleep(min(left, slice, d.TimeLeft()), d.Desk.Woken())
	}
}

// freed tells whether a limit that another run had noted is gone before its time.
func (d *Driver) freed(v loop.Verdict) bool {
	return v.Rule == loop.RuleLimit && d.Now().Before(v.Until) && d.Terms().Holds.Agent(d.Facts(nil)) != ""
}

// wholeMillis is a time that Now can reach: it knows no smaller part, and whoever
// wakes a moment early would only be told to wait again.
func wholeMillis(t time.Time) time.Time {
	if whole := t.Truncate(time.Millisecond); whole.Before(t) {
		return whole.Add(time.Millisecond)
	}
	return t
}
