package app

import (
	"errors"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
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
