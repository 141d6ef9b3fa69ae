package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// records is where the runs of a work tree are.
type records struct {
	tree    string
	dir     string // empty: where those of the work tree are
	rekeyed bool   // the key of the seals was gone, and another was made
}

// renewKey makes a new key for the seals where that of earlier runs is gone.
func (r *records) renewKey() error {
	store, err := r.open()
	if err == nil {
		r.rekeyed, err = store.Keys().Renew()
	}
	return err
}

// renewed says that there is a new key for the seals, although there are records
// that were sealed with another.
func (r *records) renewed(store journal.Store) []loop.Warning {
	if !r.rekeyed {
		return nil
	}
	return []loop.Warning{{
		Text: "the key that earlier runs are sealed with is gone, and a new one was made: those runs cannot be checked any more",
		Hint: "if you have a copy of it, end this run and put the copy back to " + store.Keys().File(),
	}}
}

// claim takes the records and their lock. Records in the project itself, where an
// earlier version has put them, may be moved out by somebody else while their lock
// is waited for.
func (r *records) claim(store journal.Store) (journal.Store, *journal.Lock, error) {
	for {
		claimed, err := store.Claim()
		if err != nil {
			return store, nil, err
		}
		lock, err := lockWhenEnded(claimed)
		if err != nil || !claimed.InProject() {
			return claimed, lock, err
		}
		if store, err = r.open(); err == nil && store.Dir == claimed.Dir {
			return claimed, lock, nil
		}
		_ = lock.Unlock() // the system lets go of it in any case
		if err != nil {
			return claimed, nil, err
		}
	}
}

// open finds where the runs of the work tree are.
func (r *records) open() (journal.Store, error) {
	if r.dir != "" {
		return journal.Store{Dir: r.dir, Tree: r.tree}, nil
	}
	return journal.Open(r.tree)
}

// endTime is how long a run that has ended may take to tell people of it.
const endTime = 20 * time.Second

// lockWhenEnded takes the work tree. One whose run is over, and whose runner only
// has to finish, is waited for.
func lockWhenEnded(store journal.Store) (*journal.Lock, error) {
	for deadline := time.Now().Add(endTime); ; time.Sleep(50 * time.Millisecond) {
		lock, err := store.Lock(journal.Self("", ""))
		var held *journal.HeldError
		if err == nil || !errors.As(err, &held) || held.Holder.Run == "" || time.Now().After(deadline) {
			return lock, err
		}
		if entry, found := store.Find(held.Holder.Run); found != nil || entry.Finished == nil {
			return nil, err
		}
	}
}

// lock makes this work tree ours, and opens the log while a mistake in its name
// still costs nothing.
func (j *Job) lock() (journal.Store, *journal.Lock, error) {
	store, err := j.records.open()
	if err != nil {
		return store, nil, err
	}
	if j.log, err = newLog(j.Assignment); err != nil {
		return store, nil, err
	}
	store, lock, err := j.records.claim(store)
	if err != nil {
		_ = j.log.Close()
	}
	return store, lock, err
}

func (j *Job) unlock(lock *journal.Lock) {
	_ = lock.Unlock() // the system lets go of it in any case
	_ = j.log.Close()
}

// cleanUp ends what earlier runners of these runs have left here. That some of it
// does not end is a warning: it was so before, and the run can go on.
func cleanUp(ctx context.Context, a request.Assignment, engines []string, runs ...string) []loop.Warning {
	list := cleanContainers(ctx, a, engines)
	ended, err := proc.CleanUp(ctx, a.Config().Proc.Keep, a.Tree, runs...)
	if ended > 0 {
		list = append(list, loop.Warning{Text: fmt.Sprintf("ended what a runner which died had left (processes: %d)", ended)})
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		list = append(list, loop.Warning{
			Text: "what a runner which died had left may still run: " + err.Error(),
			Hint: "look for it with ps, and end it yourself",
		})
	}
	return list
}

// cleanContainers removes the containers that dead runners have left here.
func cleanContainers(ctx context.Context, a request.Assignment, engines []string) []loop.Warning {
	if c := a.Config().Sandbox; c.Boxed() && !slices.Contains(engines, c.Mode) {
		engines = append(engines, c.Mode)
	}
	var list []loop.Warning
	for _, engine := range engines {
		removed, err := container.CleanUp(ctx, engine, a.Tree)
		if len(removed) > 0 {
			list = append(list, loop.Warning{Text: fmt.Sprintf("removed what a runner which died had left (containers: %d)", len(removed))})
		}
		if err != nil {
			list = append(list, loop.Warning{
				Text: "containers of a runner which died may still be there: " + err.Error(),
				Hint: fmt.Sprintf("look with \"%s ps --filter label=refrain.runner\"", engine),
			})
		}
	}
	return list
}

// mayHaveLeft tells whether processes of a run may be left: its runner died, or said
// that it was not sure.
func mayHaveLeft(status loop.Status, past journal.Past) bool {
	return status == loop.Crashed || slices.Contains(past.State.WarnedKeys, loop.UnkeptKey)
}

// lastAtWork is the run that was at work last. Who began after another has taken
// the locks of that away, and what came since is none of its.
func lastAtWork(runs []journal.Entry) (last journal.Entry) {
	for i, run := range runs {
		if i == 0 || lastBegun(run.Past).After(lastBegun(last.Past)) {
			last = run
		}
	}
	return last
}

// lastBegun is when the last attempt of a run began, or the run itself.
func lastBegun(past journal.Past) time.Time {
	at := past.First.Time
	if last := past.Last; last != nil {
		at = last.Time.Add(-last.Payload.(*loop.IterationFinished).Outcome.Duration.Duration())
	}
	for _, e := range past.Tail {
		switch e.Payload.(type) {
		case *loop.RunStarted, *loop.RunResumed, *loop.IterationStarted:
			at = e.Time
		}
	}
	return at
}

// settleOthers ends what is left of runs in this work tree that crashed, or that
// could not end all that they had started, and moves runs that cannot be read out of the way: a new run should not stumble
// over an old one, and nothing of it is lost.
func (j *Job) settleOthers(ctx context.Context, store journal.Store) ([]loop.Warning, error) {
	runs, bad, err := store.List()
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(run journal.Entry) bool { return run.Tree != store.Tree })
	var unsettled []string
	for _, run := range runs {
		if mayHaveLeft(store.Status(run), run.Past) {
			unsettled = append(unsettled, run.ID)
		}
	}
	ended := cleanUp(ctx, j.Assignment, history.Engines(runs), unsettled...)
	if last := lastAtWork(runs); last.ID != "" && store.Status(last) == loop.Crashed {
		ended = append(ended, j.repository().dropLocks(ctx, last.Past)...)
	}
	aside, err := setAside(store, bad)
	return slices.Concat(j.records.renewed(store), ended, aside), err
}

// setAside moves runs that cannot be read, and are not for somebody else.
func setAside(store journal.Store, bad []journal.Unreadable) ([]loop.Warning, error) {
	var list []loop.Warning
	for _, b := range bad {
		if !store.IsOurs(b) {
			continue
		}
		to, err := store.SetAside(b.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, loop.Warning{
			Text: fmt.Sprintf("%s cannot be read (%v) and was moved aside", b.Name, b.Err),
			Hint: "its files are in " + to,
		})
	}
	return list, nil
}
