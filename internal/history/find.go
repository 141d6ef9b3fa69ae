package history

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/view"
)

// OpenStore opens the place where the runs of the work tree around dir are.
func OpenStore(dir string) (journal.Store, error) {
	tree, err := request.Root(dir)
	if err != nil {
		return journal.Store{}, err
	}
	return journal.Open(tree)
}

// FindResumable is the run that a person wants to go on with in the work tree
// around dir: by name, or the latest that can.
func FindResumable(dir, ref string) (journal.Entry, error) {
	store, err := OpenStore(dir)
	if err != nil {
		return journal.Entry{}, err
	}
	entry, err := store.Find(ref)
	var missing *journal.NotFoundError
	if errors.As(err, &missing) && missing.CopyOf != "" {
		if store, err = store.TakeAlong(ref); err == nil {
			entry, err = store.Find(ref)
		}
	}
	if err != nil {
		return entry, err
	}
	if ref == "" {
		if entry, err = latestResumable(store, entry); err != nil {
			return entry, err
		}
	}
	return entry, BelongsHere(store, entry)
}

// latestResumable is the latest run of the work tree that can go on, or else the
// one that there is: it is done or alive, and trying to resume it says so.
func latestResumable(store journal.Store, entry journal.Entry) (journal.Entry, error) {
	list, _, err := store.List()
	if err != nil {
		return entry, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if e := list[i]; e.Tree == store.Tree && CanGoOn(store.Status(e)) {
			return store.Load(e.Name)
		}
	}
	return entry, nil
}

// BelongsHere refuses a run of another work tree of the repository: its agent
// works there, and a person who stands here may not expect that.
func BelongsHere(store journal.Store, entry journal.Entry) error {
	switch {
	case entry.Gone:
		gone := store.Gone(entry.Meta)
		return &request.UsageError{What: gone.Error(), Hint: gone.Hint()}
	case entry.Tree == store.Tree:
		return nil
	}
	return &request.UsageError{
		What: fmt.Sprintf("%s belongs to another work tree: %s", entry.Name, entry.Tree),
		Hint: "go there, or pass -C " + entry.Tree,
	}
}

// CanGoOn tells whether a run in this state can be resumed.
func CanGoOn(s loop.Status) bool { return s.Ended() && s != loop.Done }

// Look folds a run into what is shown of it. Its first event, the last finished
// iteration and what follows it are enough.
func Look(e journal.Entry) *view.Run {
	run := view.New()
	if e.Last != nil {
		run.Apply(e.First)
		run.Apply(*e.Last)
	}
	for _, event := range e.Tail {
		run.Apply(event)
	}
	run.Dir, run.Tampered, run.Unchecked = e.Dir, e.Tampered, e.Unchecked
	return run
}

// LookNow is what is shown of a run as it stands now: one without an end may have
// died, and the lock knows the runner of now, where the events tell of the first.
func LookNow(store journal.Store, e journal.Entry) *view.Run {
	run := Look(e)
	var away *journal.AwayError
	if errors.As(e.Here(), &away) {
		run.Carried, run.Back = away.Where(), away.Back()
	}
	switch status := store.Status(e); {
	case status == loop.Crashed:
		run.Died()
	case !status.Ended():
		if h, held := store.At(e.Tree).Holder(); held && h.Run == e.Name {
			run.PID = h.PID
		}
	}
	return run
}

// Left looks for processes that a run which is over has left, and tells which
// programs it was to leave. Where nobody can look, left is nil.
func Left(entry journal.Entry) (spared []string, left *[]string) {
	if settings, err := Settings(entry); err == nil {
		_ = json.Unmarshal([]byte(settings["proc.keep"].Value), &spared) // else there are none
	}
	list, err := proc.Left(spared, entry.Tree, entry.ID)
	if err != nil {
		return spared, nil
	}
	return spared, &list
}
