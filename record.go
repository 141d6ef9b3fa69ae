package refrain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Record is a run as its files tell it: live or over, started by this program, by
// another one or by the command. Each method reads anew, so a Record of a live run
// can be kept and asked again.
type Record struct {
	Run       string // its name, such as build-7
	ID        string // one that no other run anywhere has
	Dir       string // the folder with its files
	Tree      string // the work tree that it works in
	Procedure string // and "run" for a run without one
	Started   time.Time

	store journal.Store
}

// Open finds a run of the project around a folder (empty: the current one): by its
// name, by its procedure, whose latest run is meant, or, when that is empty, the
// latest of all. Nothing is started or written, and Helper is not needed.
//
// The error is a *NotFoundError when there is no such run, and an
// *UnreadableError when it cannot be read.
func Open(dir, run string) (*Record, error) {
	store, err := history.OpenStore(orHere(dir))
	if err != nil {
		return nil, public(err)
	}
	entry, err := store.Find(run)
	if err != nil {
		return nil, public(err)
	}
	return newRecord(store, entry), nil
}

// Runs gives every run of the project around a folder (empty: the current one),
// the latest first, also those in other work trees of its repository. Runs that
// cannot be read come after all others, each as an *UnreadableError.
func Runs(dir string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		store, err := history.OpenStore(orHere(dir))
		if err != nil {
			yield(nil, public(err))
			return
		}
		list, bad, err := store.List()
		if err != nil {
			yield(nil, public(err))
			return
		}
		for _, entry := range slices.Backward(list) {
			if !yield(newRecord(store, entry), nil) {
				return
			}
		}
		for _, b := range bad {
			if !yield(nil, unreadable(b.Name, b.Err)) {
				return
			}
		}
	}
}

// unreadable is why a run in a list is missing from it.
func unreadable(run string, err error) error {
	if e, ok := errors.AsType[*UnreadableError](public(err)); ok {
		e.Run = run
		return e
	}
	return &UnreadableError{Run: run, err: err}
}

func newRecord(store journal.Store, e journal.Entry) *Record {
	return &Record{Run: e.Name, ID: e.ID, Dir: e.Dir, Tree: e.Tree, Procedure: e.Procedure, Started: e.StartedAt, store: store}
}

// Live tells whether the run goes on at this moment, be it that it waits or is
// paused.
func (r *Record) Live() bool {
	s, err := r.Snapshot()
	return err == nil && !s.State.Ended()
}

// Snapshot is where the run stands now, or how it ended.
func (r *Record) Snapshot() (Snapshot, error) {
	entry, err := r.store.Load(r.Run)
	if err != nil {
		return Snapshot{}, public(err)
	}
	return history.LookNow(r.store, entry).Status(time.Now()), nil
}

// Stats is what the run has come to so far.
func (r *Record) Stats() (Stats, error) {
	entry, err := r.store.Load(r.Run)
	if err != nil {
		return Stats{}, public(err)
	}
	return history.LookNow(r.store, entry).Stats(time.Now()), nil
}

// Result is how the run ended. Of one that is live the State is that of now, such
// as Running, and of one whose runner died it is Crashed; neither has a reason.
func (r *Record) Result() (Result, error) {
	entry, err := r.store.Load(r.Run)
	if err != nil {
		return Result{}, public(err)
	}
	var end loop.RunFinished
	if entry.Finished != nil {
		end = *entry.Finished
	} else {
		end = loop.RunFinished{State: r.store.Status(entry), Elapsed: entry.State.Live, Totals: entry.State.Totals, Net: entry.State.Net, Later: entry.State.Later}
	}
	result := resultOf(end)
	result.Run, result.ID, result.Dir, result.Started = r.Run, r.ID, r.Dir, true
	if entry.Last != nil {
		result.Output, err = r.said(entry.Last.Iter, entry.Last.Attempt)
	}
	return result, public(err)
}

// said is the end of what an agent said in an attempt.
func (r *Record) said(iteration, attempt int) (string, error) {
	var last lastWords
	for e, err := range journal.AttemptEvents(r.store.AttemptDir(r.Run, iteration, attempt)) {
		if err != nil {
			return last.text(), err
		}
		last.Observe(e)
	}
	return last.text(), nil
}

// Settings is the settings that the run was started with, or last resumed with, in
// the form that SettingsOf gives, and what was raised since. Of a run that another
// system has left it is empty.
func (r *Record) Settings() (map[string]string, error) {
	entry, err := r.store.Load(r.Run)
	if err != nil {
		return nil, public(err)
	}
	settings, err := app.RecordedSettings(entry)
	return settings, public(err)
}

// Iteration is one attempt that has finished. Its JSON names are those of
// "refrain show --json".
type Iteration struct {
	Number  int       `json:"iter"`
	Attempt int       `json:"attempt"`
	Started time.Time `json:"started_at,omitzero"` // zero where an earlier version wrote the record
	Ended   time.Time `json:"ended_at"`
	Outcome Outcome   `json:"outcome"` // what was seen of it
	Verdict Verdict   `json:"verdict"` // what was decided
	Dir     string    `json:"dir"`     // the folder with its files, if they are kept
}

// Iterations gives every attempt of the run that has finished, the oldest first.
// Who wants some of them only picks them out:
//
//	for i, err := range record.Iterations() {
//		if err == nil && i.Outcome.Result == refrain.Failed {
//			…
//		}
//	}
func (r *Record) Iterations() iter.Seq2[Iteration, error] {
	return func(yield func(Iteration, error) bool) {
		for e, err := range r.store.Events(r.Run, 0) {
			if err != nil {
				yield(Iteration{}, public(err))
				return
			}
			if _, ok := e.Payload.(*loop.IterationFinished); ok && !yield(r.iteration(e), nil) {
				return
			}
		}
	}
}

// Latest gives the last n attempts that have finished, the latest first. It reads
// from the end, so it does not matter how long the run is.
func (r *Record) Latest(n int) ([]Iteration, error) {
	if n <= 0 {
		return nil, nil
	}
	events, err := r.store.Iterations(r.Run, n)
	if err != nil {
		return nil, public(err)
	}
	var list []Iteration
	for _, e := range slices.Backward(events) {
		list = append(list, r.iteration(e))
	}
	return list, nil
}

// Iteration gives the last attempt at an iteration; the first is 1. The error is a
// *NotFoundError when none has finished.
func (r *Record) Iteration(n int) (Iteration, error) {
	var last *Iteration
	for i, err := range r.Iterations() {
		if err != nil {
			return Iteration{}, err
		}
		if i.Number == n {
			last = &i
		}
	}
	if last == nil {
		return Iteration{}, r.without(n, fmt.Sprintf("%s has no finished iteration %d", r.Run, n))
	}
	return *last, nil
}

// without says that something of an iteration is not there.
func (r *Record) without(iteration int, what string) error {
	return &NotFoundError{Run: fmt.Sprintf("%s/%d", r.Run, iteration), err: absent(what)}
}

// absent is something that is not there, and never was.
type absent string

func (a absent) Error() string { return string(a) }
func (absent) Unwrap() error   { return fs.ErrNotExist }

func (r *Record) iteration(e loop.Event) Iteration {
	p := eventInGo(e).Payload.(*loop.IterationFinished)
	return Iteration{
		Number: e.Iter, Attempt: e.Attempt, Started: p.Outcome.StartedAt, Ended: e.Time, Outcome: p.Outcome, Verdict: p.Verdict,
		Dir: r.store.AttemptDir(r.Run, e.Iter, e.Attempt),
	}
}

// Events gives the events of the run after a number, 0 for all of them, as far as
// they are written. An error is the last thing that it gives.
func (r *Record) Events(after int64) iter.Seq2[Event, error] {
	return publicEvents(r.store.AllEvents(r.Run, after))
}

// publicEvents tells events in the words of the library, and gives errors the types
// that callers may know.
func publicEvents(events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range events {
			if !yield(eventInGo(e), public(err)) {
				return
			}
		}
	}
}

// Diff is what the run changed in the work tree, as git prints it; with a number,
// what that iteration did. It is read from the checkpoints of the run, so commits
// and branches make no difference. Who has read enough closes it.
func (r *Record) Diff(ctx context.Context, iteration int) (io.ReadCloser, error) {
	entry, err := r.store.Load(r.Run)
	if err != nil {
		return nil, public(err)
	}
	kept, err := history.Open(ctx, r.store, entry)
	if err != nil {
		return nil, public(err)
	}
	var from, to checkpoint.Checkpoint
	if iteration == 0 {
		if from, err = kept.At(ctx, 0); err == nil {
			to, err = kept.Here(ctx)
		}
	} else if from, err = kept.Base(ctx, iteration); err == nil {
		to, err = kept.At(ctx, iteration)
	}
	if err != nil {
		return nil, public(err)
	}
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() { // until all is read, or the reader is closed
		defer close(done)
		in.CloseWithError(kept.Kept.Diff(ctx, in, from, to, checkpoint.DiffOptions{}))
	}()
	return &piped{out, done}, nil
}

// piped is the end of a pipe whose writer has ended when it is closed.
type piped struct {
	*io.PipeReader
	done <-chan struct{}
}

func (p *piped) Close() error {
	err := p.PipeReader.Close()
	<-p.done
	return err
}

// Transcript is what the agent printed in an attempt at an iteration, as it came;
// attempt 0 is the last one. The error is a *NotFoundError when there is no such
// attempt. What was printed in old ones may have been dropped, as
// retention.transcripts says: the error is only fs.ErrNotExist then.
func (r *Record) Transcript(iteration, attempt int) (io.ReadCloser, error) {
	return r.open(iteration, attempt, "stdout")
}

// Stderr is what the agent printed as errors, likewise.
func (r *Record) Stderr(iteration, attempt int) (io.ReadCloser, error) {
	return r.open(iteration, attempt, "stderr")
}

// Prompt is what the agent was told, likewise.
func (r *Record) Prompt(iteration, attempt int) (io.ReadCloser, error) {
	return r.open(iteration, attempt, "prompt.md")
}

func (r *Record) open(iteration, attempt int, name string) (io.ReadCloser, error) {
	dir, err := r.dirOf(iteration, attempt)
	if err != nil {
		return nil, err
	}
	f, err := files.OpenFile(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("read what iteration %d of %s left: %w", iteration, r.Run, err)
	}
	return f, nil
}

// dirOf is the folder of an attempt; 0 is the last one.
func (r *Record) dirOf(iteration, attempt int) (string, error) {
	if _, err := r.store.Load(r.Run); err != nil {
		return "", public(err)
	}
	_, last, err := r.store.LastAttempt(r.Run, iteration)
	if missing, ok := errors.AsType[*app.NotFoundError](err); ok && missing.Ref != r.Run {
		return "", r.without(iteration, fmt.Sprintf("%s has no iteration %d", r.Run, iteration))
	}
	if err != nil {
		return "", public(err)
	}
	if attempt < 0 || attempt > last {
		return "", r.without(iteration, fmt.Sprintf("iteration %d of %s has no attempt %d", iteration, r.Run, attempt))
	}
	return r.store.AttemptDir(r.Run, iteration, cmp.Or(attempt, last)), nil
}
