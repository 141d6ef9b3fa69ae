package history

import (
	"cmp"
	"slices"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/project"
)

// LiveRun is a run that is alive, and where it can be reached.
type LiveRun struct {
	journal.Entry
	Store  journal.Store // that of its own work tree
	Socket string        // where it takes commands; empty: it has not said yet
}

// Live lists the runs of a project that are alive, whichever work tree they work
// in, the latest first.
func Live(store journal.Store) []LiveRun {
	var list []LiveRun
	for _, h := range store.Live() {
		e, err := store.Load(h.Run)
		if err != nil || e.Finished != nil {
			continue // it is just being made, or its runner is about to leave
		}
		if now, held := store.At(e.Tree).Holder(); !held || now.Run != e.Name {
			continue // it has just ended
		}
		list = append(list, LiveRun{Entry: e, Store: store.At(e.Tree), Socket: h.Socket})
	}
	slices.SortStableFunc(list, func(a, b LiveRun) int { return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.Name, a.Name)) })
	return list
}

// Stores opens the records of every project of this user that is still there. The
// state folder knows them: a run notes its work tree there before it begins.
func Stores() ([]journal.Store, error) {
	all, err := project.All()
	if err != nil {
		return nil, err
	}
	var list []journal.Store
	for _, k := range all {
		if k.Gone {
			continue
		}
		for _, tree := range append([]string{k.Root}, k.Trees...) {
			// A path may be another project's by now, or not be there any more.
			if store, err := journal.Open(tree); err == nil && store.Dir == k.Dir {
				list = append(list, store)
				break
			}
		}
	}
	return list, nil
}
