package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Rehearsal is a run of the user's own settings in a copy of the work tree, with
// a script in the place of every agent and a clock on which hours pass at once.
type Rehearsal struct {
	Script string       // its path
	Start  time.Time    // when the night begins; times are told in its zone
	Seed   uint64       // of what a run leaves to chance
	Tell   func(Moment) // hears what happens when it does; nil: nobody

	// Clock takes the place of the clock that hours pass on, and Program that of
	// the user's programs, of which it gives the exit status; nil: the rehearsal
	// has a clock of its own, and programs run for real.
	Clock   engine.Clock
	Program func(dir string, argv []string) int

	script rehearsal.Script
	job    *Job
	copied *treeCopy
	stage  *rehearsal.Stage
	diary  *diary
	plays  int
	most   int // attempts

	mu      sync.Mutex
	control *Control
	run     *journal.Run
	full    time.Time // until when nothing can be saved
}

// The programs of a rehearsal. There are none of these names: what they stand
// for is played.
const (
	thePlayer   = "the agent of a rehearsal"
	theReviewer = "the reviewer of a rehearsal"
)

// A rehearsal that goes beyond these would never end.
const (
	longestNight = 7 * 24 * time.Hour
	mostAttempts = 1000
)

// PrepareRehearsal reads the script, copies the work tree around dir, and checks
// the request there. Close removes the copy.
func PrepareRehearsal(ctx context.Context, dir, script string, req request.Request) (*Rehearsal, error) {
	r := &Rehearsal{Script: script, Start: time.Now().Truncate(time.Second), Seed: 1, most: mostAttempts}
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
	if r.job, err = prepare(ctx, r.copied.work, req); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.job.records = r.copied.records
	return r, nil
}

// Dir is the copy of the work tree.
func (r *Rehearsal) Dir() string { return r.copied.work }

// Procedure is what is run.
func (r *Rehearsal) Procedure() string {
	if r.job.Request.Procedure == "" {
		return "a run without a procedure"
	}
	return "procedure " + r.job.Request.Procedure
}

// Agent is whom the script stands in for.
func (r *Rehearsal) Agent() string { return r.job.lineup.Name() }

// Close removes the copy.
func (r *Rehearsal) Close() error { return r.copied.remove() }

// cast gives every agent of a job to the player. Who reviews always agrees: a
// rehearsal asks no model anything.
func (r *Rehearsal) cast(j *Job) error {
	player, err := agent.New(agent.Options{Name: "rehearsal", Script: r.Script, Self: []string{thePlayer}})
	if err != nil {
		return err
	}
	j.lineup.Replace(player)
	settings := *j.Settings
	settings.Config.Agents = maps.Clone(settings.Config.Agents)
	for _, name := range j.reviewers() {
		settings.Config.Agents[name] = config.Agent{Command: setting.Command{Argv: []string{theReviewer}}, Prompt: "stdin", Format: "rehearsal"}
	}
	settings.Config.Log.File = "" // it may be one outside of the copy
	j.Settings = &settings
	j.margin = time.Second + time.Millisecond*time.Duration(rand.New(rand.NewPCG(r.Seed, 0)).IntN(4000)) // as prepare
	return nil
}

// errCrashed is the end of a runner that a script has killed.
var errCrashed = errors.New("the runner died, as its script wanted")

// Play plays the whole night, and says what came of it.
func (r *Rehearsal) Play(ctx context.Context) (*Rehearsed, error) {
	if r.Clock == nil {
		r.Clock = rehearsal.NewClock(r.Start)
	}
	r.diary = newDiary(r.Start.Location(), r.job.Config(), r.Tell)
	r.stage = &rehearsal.Stage{
		Script: r.script, Time: r.Clock,
		Crash: r.crash, FullDisk: r.fullDisk, GiveUp: r.giveUp,
		Note: func(iteration int, remark string) { r.diary.add(r.Clock.Now(), iteration, "note: "+text.Line(remark)) },
	}
	if err := r.cast(r.job); err != nil {
		return nil, err
	}
	for _, name := range r.job.reviewers() {
		r.diary.add(r.Clock.Now(), 0, "the reviewer "+name+" is not asked: in a rehearsal it agrees with everything")
	}
	end, err := r.runner(func(w Watch) (loop.RunFinished, error) { return r.job.Start(ctx, w) })
	for errors.Is(err, errCrashed) {
		r.untilRoom()
		end, err = r.resume(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.report(ctx, end)
}

// runner runs the loop until it ends, or dies.
func (r *Rehearsal) runner(run func(Watch) (loop.RunFinished, error)) (end loop.RunFinished, err error) {
	control := NewControl()
	r.mu.Lock()
	r.control = control
	r.mu.Unlock()
	err = errCrashed // unless it comes to say something else
	var wg sync.WaitGroup
	wg.Go(func() {
		end, err = run(Watch{
			Observers: []Observer{r.diary}, Control: control,
			Stage: &Stage{Clock: r.Clock, Exec: r.exec, Opened: r.opened},
		})
	})
	wg.Wait()
	return end, err
}

// resume goes on with the run as a person would in the morning. Where that is
// refused, the run stays as it is.
func (r *Rehearsal) resume(ctx context.Context) (loop.RunFinished, error) {
	store, err := r.job.openStore()
	if err != nil {
		return loop.RunFinished{}, err
	}
	entry, err := store.Find(r.run.Meta().Name)
	if err != nil {
		return loop.RunFinished{}, err
	}
	c, err := PrepareResume(ctx, entry, nil, false)
	if err == nil {
		c.records = r.copied.records
		err = r.cast(c.Job)
	}
	if err != nil {
		r.diary.add(r.Clock.Now(), 0, "no other runner can go on: "+text.Line(err.Error()))
		return loop.RunFinished{State: loop.Crashed, Why: err.Error(), Totals: entry.State.Totals, Elapsed: entry.State.Live}, nil
	}
	r.job = c.Job
	return r.runner(func(w Watch) (loop.RunFinished, error) {
		end, _, err := c.Resume(ctx, w, func(*view.Run) {})
		return end, err
	})
}

func (r *Rehearsal) opened(run *journal.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run = run
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
	reviewer := &rehearsal.Stage{Script: agreeing, Time: r.Clock}
	return func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		switch s.Argv[0] {
		case thePlayer:
			return r.play(ctx, s)
		case theReviewer:
			return reviewer.Play(ctx, s)
		}
		return real(ctx, s)
	}
}

// agreeing is what a reviewer does.
var agreeing = func() rehearsal.Script {
	script, err := rehearsal.Parse([]byte("[[iteration]]\nsteps = [{ text = \"<verdict>pass</verdict>\" }]\n"))
	if err != nil {
		panic(err) // it never changes
	}
	return script
}()

// play plays one attempt, unless there have been too many.
func (r *Rehearsal) play(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	r.plays++
	switch lasted := r.Clock.Now().Sub(r.Start); {
	case r.plays > r.most:
		r.giveUp(fmt.Sprintf("it had not ended after %s", text.Plural(r.most, "attempt")))
		<-ctx.Done()
	case lasted > longestNight:
		r.giveUp(fmt.Sprintf("it had not ended after %d days", int(lasted.Hours())/24))
		<-ctx.Done()
	}
	return r.stage.Play(ctx, s)
}

// giveUp has the run stopped.
func (r *Rehearsal) giveUp(why string) {
	r.diary.gaveUp = why
	r.diary.add(r.Clock.Now(), 0, "given up: "+why)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.control.Stop(loop.Asked{Now: true})
}

// crash ends the runner without a word: what it has not saved is gone.
func (r *Rehearsal) crash() {
	r.diary.crashed(r.Clock.Now())
	r.run.Refuse(errCrashed)
	runtime.Goexit()
}

// fullDisk keeps the run from saving anything for a while.
func (r *Rehearsal) fullDisk(d time.Duration) {
	now := r.Clock.Now()
	r.diary.filled(now, d)
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
		r.diary.add(now, 0, "there is room on the disk again")
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
