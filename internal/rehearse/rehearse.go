// Package rehearse plays a whole night in seconds: a run of the user's own
// settings in a copy of the work tree, with a script in the place of every agent
// and a clock on which hours pass at once.
//
// The run is a real one. Who makes it is handed in as a Wiring, so that the night
// stands beside the program's wiring and not on top of it. What a script can say
// and do is in package rehearsal.
package rehearse

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// Wiring makes runners of real runs.
type Wiring interface {
	Prepare(ctx context.Context, tree string, req request.Request) (Runner, error)
	PrepareResume(ctx context.Context, entry journal.Entry) (Runner, error)
}

// Runner is ready to begin a run, or to go on with one.
type Runner interface {
	Terms() policy.Terms
	Reviewers() []string // the agents that gates ask
	Play(ctx context.Context, s Simulation) (loop.RunFinished, error)
	Tidy(runDir string) // removes what the run has outside of the copy
}

// Simulation is what takes the place of the world: a clock of its own, and its own
// way to run processes. Nobody outside hears of a run that is simulated.
type Simulation struct {
	Clock    Clock
	Exec     func(real Exec) Exec
	Observer interface{ Observe(loop.Event) }
	Opened   func(run *journal.Run, stop func()) // hears of the run before anything is written to it

	Records string // where its records are; empty: where those of every project are
	Script  string // the file that every agent plays
	Seed    uint64 // of what a run leaves to chance
}

// Clock is the time of a night.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func())
	Sleep(d time.Duration, wake <-chan struct{})
}

// Exec runs one process to its end.
type Exec = func(context.Context, proc.Spec) (loop.Exit, error)

// Rehearsal is a run of the user's own settings in a copy of the work tree, with
// a script in the place of every agent and a clock on which hours pass at once.
type Rehearsal struct {
	Script string       // its path
	Start  time.Time    // when the night begins; times are told in its zone
	Seed   uint64       // of what a run leaves to chance
	Tell   func(Moment) // hears what happens when it does; nil: nobody

	MaxAttempts int // after so many it is broken off

	// Keep says that people will look at the copy. Its records then are where those
	// of every project are, and sealed: what cannot be checked is not proven.
	Keep bool

	// Clock takes the place of the clock that hours pass on, and Program that of
	// the user's programs, of which it gives the exit status; nil: the rehearsal
	// has a clock of its own, and programs run for real.
	Clock   Clock
	Program func(dir string, argv []string) int

	script rehearsal.Script
	wiring Wiring
	runner Runner
	asked  request.Request
	copied *treeCopy
	stage  *rehearsal.Stage
	log    *log
	plays  int

	mu   sync.Mutex
	run  *journal.Run
	stop func()    // ends the run at once
	full time.Time // until when nothing can be saved
}

// The programs of a rehearsal. There are none of these names: what they stand
// for is played.
const (
	Player   = "the agent of a rehearsal"
	Reviewer = "the reviewer of a rehearsal"
)

// A rehearsal that goes beyond these would never end.
const (
	longestNight = 7 * 24 * time.Hour
	maxAttempts  = 1000
)

// Prepare reads the script, copies the work tree around dir, and checks
// the request there. Close removes the copy.
func Prepare(ctx context.Context, w Wiring, dir, script string, req request.Request) (*Rehearsal, error) {
	r := &Rehearsal{Script: script, Start: time.Now().Truncate(time.Second), Seed: 1, MaxAttempts: maxAttempts, wiring: w, asked: req}
	text, err := files.ReadFile(ctx, script, rehearsal.MaxScript)
	if err != nil {
		return nil, &request.UsageError{What: fmt.Sprintf("read the script: %v", err), Hint: "name a rehearsal script; docs/rehearsal.md has some to start from"}
	}
	if r.script, err = rehearsal.Parse(text); err != nil {
		return nil, &request.UsageError{What: fmt.Sprintf("%s: %v", filepath.Base(script), err), Hint: "docs/rehearsal.md explains what a script can say"}
	}
	tree, err := request.Root(dir)
	if err != nil {
		return nil, err
	}
	real, err := request.Load(tree, req)
	if err != nil {
		return nil, err
	}
	if chosen := real.Config().Agent; chosen == "auto" && len(req.Command) == 0 || chosen == "rehearsal" {
		path, err := filepath.Abs(script)
		if err != nil {
			return nil, fmt.Errorf("find the script: %w", err)
		}
		req.Flags = append(req.Flags,
			config.Flag{Name: "rehearse", Key: "agent", Value: "rehearsal"},
			config.Flag{Name: "rehearse", Key: "agents.rehearsal.script", Value: path})
	}
	if r.copied, err = copyTree(ctx, real); err != nil {
		return nil, fmt.Errorf("copy the work tree: %w", err)
	}
	req.File = r.copied.there(req.File)
	if r.runner, err = w.Prepare(ctx, r.copied.work, req); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Dir is the copy of the work tree.
func (r *Rehearsal) Dir() string { return r.copied.work }

// Procedure is what is run.
func (r *Rehearsal) Procedure() string {
	if r.asked.Procedure == "" {
		return "a run without a procedure"
	}
	return "procedure " + r.asked.Canonical().Procedure
}

// Agent is whom the script stands in for.
func (r *Rehearsal) Agent() string { return r.runner.Terms().Agents[0] }

// Close removes the copy.
func (r *Rehearsal) Close() error { return r.copied.remove() }

// errCrashed is the end of a runner that a script has killed.
var errCrashed = errors.New("the runner died, as its script wanted")

// Play plays the whole night, and says what came of it.
func (r *Rehearsal) Play(ctx context.Context) (*Report, error) {
	if r.Clock == nil {
		r.Clock = rehearsal.NewClock(r.Start)
	}
	r.log = newLog(r.Start.Location(), r.runner.Terms().Config, r.Tell)
	r.stage = &rehearsal.Stage{
		Script: r.script, Time: r.Clock,
		Crash: r.crash, FullDisk: r.fullDisk, GiveUp: r.giveUp,
		Note: func(iteration int, remark string) { r.log.add(r.Clock.Now(), iteration, "note: "+text.Line(remark)) },
	}
	for _, name := range r.runner.Reviewers() {
		r.log.add(r.Clock.Now(), 0, "the reviewer "+name+" is not asked: in a rehearsal it agrees with everything")
	}
	end, err := r.untilItDies(ctx)
	for errors.Is(err, errCrashed) {
		r.untilRoom()
		end, err = r.resume(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.report(ctx, end), nil
}

// untilItDies runs the loop until it ends, or dies.
func (r *Rehearsal) untilItDies(ctx context.Context) (end loop.RunFinished, err error) {
	err = errCrashed // unless it comes to say something else
	var wg sync.WaitGroup
	wg.Go(func() {
		end, err = r.runner.Play(ctx, Simulation{
			Clock: r.Clock, Exec: r.exec, Observer: r.log, Opened: r.opened,
			Records: r.records(), Script: r.Script, Seed: r.Seed,
		})
	})
	wg.Wait()
	return end, err
}

// resume goes on with the run as a person would in the morning. Where that is
// refused, the run stays as it is.
func (r *Rehearsal) resume(ctx context.Context) (loop.RunFinished, error) {
	store, err := r.store()
	if err != nil {
		return loop.RunFinished{}, err
	}
	entry, err := store.Find(r.run.Meta().Name)
	if err != nil {
		return loop.RunFinished{}, err
	}
	runner, err := r.wiring.PrepareResume(ctx, entry)
	if err != nil {
		r.log.add(r.Clock.Now(), 0, "no other runner can go on: "+text.Line(err.Error()))
		return loop.RunFinished{State: loop.Crashed, Why: err.Error(), Totals: entry.State.Totals, Elapsed: entry.State.Live}, nil
	}
	r.runner = runner
	return r.untilItDies(ctx)
}

// records is where the records of the copy are; empty: where those of a project are.
func (r *Rehearsal) records() string {
	if r.Keep {
		return ""
	}
	return r.copied.records
}

// store is where the runs in the copy are.
func (r *Rehearsal) store() (journal.Store, error) {
	if r.Keep {
		return journal.Open(r.copied.work)
	}
	return journal.Store{Dir: r.copied.records, Tree: r.copied.work}, nil
}

func (r *Rehearsal) opened(run *journal.Run, stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.stop = run, stop
}

// exec plays what the agents would do, and runs the rest.
func (r *Rehearsal) exec(real Exec) Exec {
	if r.Program != nil {
		real = func(_ context.Context, s proc.Spec) (loop.Exit, error) {
			status := r.Program(s.Dir, s.Argv)
			return loop.Exit{Code: &status, Cause: loop.Exited}, nil
		}
	}
	r.stage.Exec = real
	reviewer := &rehearsal.Stage{Script: agreeing(), Time: r.Clock}
	return func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		switch s.Argv[0] {
		case Player:
			return r.play(ctx, s)
		case Reviewer:
			return reviewer.Play(ctx, s)
		}
		return real(ctx, s)
	}
}

// agreeing is what a reviewer does.
var agreeing = sync.OnceValue(func() rehearsal.Script {
	script, err := rehearsal.Parse([]byte("[[iteration]]\nsteps = [{ text = \"<verdict>pass</verdict>\" }]\n"))
	if err != nil {
		panic(err) // it never changes
	}
	return script
})

// play plays one attempt, unless there have been too many.
func (r *Rehearsal) play(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	r.plays++
	switch lasted := r.Clock.Now().Sub(r.Start); {
	case r.plays > r.MaxAttempts:
		r.giveUp(fmt.Sprintf("it had not ended after %s", text.Plural(r.MaxAttempts, "attempt")))
		<-ctx.Done()
	case lasted > longestNight:
		r.giveUp(fmt.Sprintf("it had not ended after %d days", int(lasted.Hours())/24))
		<-ctx.Done()
	}
	return r.stage.Play(ctx, s)
}

// giveUp has the run stopped.
func (r *Rehearsal) giveUp(why string) {
	r.log.gaveUp = why
	r.log.add(r.Clock.Now(), 0, "given up: "+why)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
}

// crash ends the runner without a word: what it has not saved is gone.
func (r *Rehearsal) crash() {
	r.log.crashed(r.Clock.Now())
	r.run.Refuse(errCrashed)
	runtime.Goexit()
}

// fullDisk keeps the run from saving anything for a while.
func (r *Rehearsal) fullDisk(d time.Duration) {
	now := r.Clock.Now()
	r.log.filled(now, d)
	r.mu.Lock()
	defer r.mu.Unlock()
	if until := now.Add(d); until.After(r.full) {
		r.full = until
	}
	r.run.Refuse(syscall.ENOSPC)
	r.Clock.AfterFunc(d, r.haveRoom)
}

// haveRoom lets the run save again, if that is due.
func (r *Rehearsal) haveRoom() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.Clock.Now(); !now.Before(r.full) {
		r.run.Refuse(nil)
		r.log.add(now, 0, "there is room on the disk again")
	}
}

// untilRoom waits for a disk on which a new runner can begin.
func (r *Rehearsal) untilRoom() {
	r.mu.Lock()
	full := r.full
	r.mu.Unlock()
	if left := full.Sub(r.Clock.Now()); left > 0 {
		r.Clock.Sleep(left, nil)
	}
}
