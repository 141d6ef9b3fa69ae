package refrain

import (
	"context"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Helper must be called first in main, and in TestMain of tests that run loops. A
// run starts its program again in other roles: to keep the agent's processes, and
// end them should the program die, and to play rehearsals. In such a process
// Helper does that work and does not return. Without it Run and Resume give
// ErrNoHelper.
func Helper() { app.Helper() }

// Result is how a run ended, or how it already had.
type Result struct {
	Run string // its name, such as build-7
	ID  string // one that no other run anywhere has
	Dir string // the folder with its files

	State  Status // Done, Exhausted, Aborted, Stopped or CouldNotRun
	Reason Reason // the cause in one word
	Why    string // the cause in one sentence
	// Level is how much stands behind a run that is Done; empty when it is not.
	Level Level
	// Proven says that the work is done, and that the evidence tells it from what
	// was there before: Level is LevelProven, and no other.
	Proven bool
	// Proof is what the Level rests on: tests by name, gates, the tree and where it
	// was judged. It is nil when no gate judged the work.
	Proof *Proof

	Elapsed time.Duration // while it was alive, waits included
	Totals  Totals        // over all attempts: a file that was changed in two counts twice
	// Net is what the run came to: the work tree at its end against that before
	// its first iteration. Nil when that is not known.
	Net     *Changes
	Unsaved []string // what could not be written to the disk

	// Started is false when a resume could only have ended again for the same
	// reason, and nothing was started.
	Started bool
}

// Run starts a run and goes on until it ends. When ctx is done, the agent is
// ended at once with all that it started, and the run ends as Stopped; Resume
// goes on with it.
//
// The error is a *UsageError when the options or the settings make no sense, and
// a *HeldError when another run is live in the work tree. Neither leaves a trace.
func Run(ctx context.Context, o Options) (Result, error) {
	return o.hands().attend(ctx, func(w app.Watch) (loop.RunFinished, bool, error) {
		req, err := o.request()
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		job, err := app.Prepare(ctx, orHere(o.Dir), req)
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		end, err := job.Start(ctx, w)
		return end, true, err
	})
}

// Resume goes on with a run that was stopped, gave up, hit a limit or crashed,
// under the options that it was started with. Settings are read anew; limits are
// new totals, not additions.
//
// The error is a *NotFoundError when there is no such run, a *HeldError when it
// is alive, and a *UsageError when it cannot go on as things are.
func Resume(ctx context.Context, o ResumeOptions) (Result, error) {
	var found Result
	result, err := o.hands().attend(ctx, func(w app.Watch) (loop.RunFinished, bool, error) {
		flags, own, err := o.request()
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		entry, err := app.FindResumable(orHere(o.Dir), o.Run)
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		found = Result{Run: entry.Name, ID: entry.ID, Dir: entry.Dir}
		c, err := app.PrepareResumeWith(ctx, entry, flags, o.AcceptConfig, own)
		if err != nil {
			return loop.RunFinished{}, false, err
		}
		w.Hurry = o.Now
		return c.Resume(ctx, w, nil)
	})
	result.Run, result.ID, result.Dir = found.Run, found.ID, found.Dir
	return result, err
}

// hands is what a caller brings to any run: who looks on and who steers.
type hands struct {
	observers []Observer
	control   *Control
	version   string
}

// attend has a run go on under a control, and puts its end together.
func (h hands) attend(ctx context.Context, run func(app.Watch) (end loop.RunFinished, started bool, err error)) (Result, error) {
	if !app.HelperCalled() {
		return Result{}, ErrNoHelper
	}
	control := h.control
	if control == nil {
		control = NewControl()
	}
	if err := control.begin(); err != nil {
		return Result{}, err
	}
	defer control.end()
	w := app.Watch{Control: control.engine, Live: control.live, Version: h.version}
	for _, o := range h.observers {
		w.Observers = append(w.Observers, o)
	}
	end, started, err := run(w)
	if err != nil && end.State == "" && ctx.Err() != nil {
		return Result{}, context.Cause(ctx) // it never began
	}
	s := control.Snapshot()
	return Result{
		Run: s.Run, ID: s.ID, Dir: s.Dir,
		State: end.State, Reason: end.Reason, Why: end.Why, Level: end.Level(), Proven: end.Proven, Proof: end.Proof,
		Elapsed: end.Elapsed.Duration(), Totals: end.Totals, Net: end.Net, Unsaved: end.Unsaved, Started: started,
	}, public(err)
}
