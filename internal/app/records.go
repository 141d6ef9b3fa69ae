package app

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/view"
)

// GoneProject is a project that is no longer where it was, and whose records are
// still there. It may have been moved, and nobody has run anything in it since.
type GoneProject struct {
	Root  string
	Runs  []journal.Entry
	Store journal.Store

	known project.Known
}

// GoneProjects lists the projects of this user that are gone and have records.
func GoneProjects() ([]GoneProject, error) {
	all, err := project.All()
	if err != nil {
		return nil, err
	}
	var list []GoneProject
	for _, k := range all {
		if !k.Gone {
			continue
		}
		g := GoneProject{Root: k.Root, Store: journal.Store{Dir: k.Dir, Tree: k.Root}, known: k}
		if g.Runs, _, err = g.Store.List(); err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

// keepGone is how long the records of a project that is gone are kept at least,
// unless somebody says otherwise: it may have been moved, and come back.
const keepGone = 30 * 24 * time.Hour

// PruneGone deletes the records of projects that are gone and had no run for a
// while, and gives where those projects were. One with a live run stays.
func PruneGone(older time.Duration, dry bool) ([]string, error) {
	if older == 0 {
		older = keepGone
	}
	list, err := GoneProjects()
	if err != nil {
		return nil, err
	}
	deleted := []string{}
	for _, g := range list {
		if !g.old(older) {
			continue
		}
		deleted = append(deleted, g.Root)
		if dry {
			continue
		}
		if err := g.known.Forget(); err != nil {
			return nil, fmt.Errorf("delete the records of %s: %w", g.Root, err)
		}
	}
	return deleted, nil
}

// old tells whether no run is live, and none was for that long.
func (g GoneProject) old(older time.Duration) bool {
	for _, e := range g.Runs {
		if !g.Store.Status(e).Ended() || time.Since(e.State.At) < older {
			return false
		}
	}
	return !g.known.Busy()
}

// checkRecords tells where the records of runs are, and of which projects there
// are some that nobody will look for.
func checkRecords(tree string) Check {
	const name = "records"
	store, err := journal.Open(tree)
	if err != nil {
		return Check{name, Problem, err.Error(), "set HOME or XDG_STATE_HOME to a folder that can be written to"}
	}
	if store.InProject() {
		return Check{name, Worry, "in the project itself, where an earlier version has put them: " + store.Dir, "the next run moves them out of the agent's reach"}
	}
	if within(store.Tree, store.Dir) {
		return Check{name, Worry, "in the work tree, where the agent can reach them: " + store.Dir, "set XDG_STATE_HOME to a folder outside"}
	}
	gone, err := GoneProjects()
	if err != nil || len(gone) == 0 {
		return Check{name, Fine, "in " + store.Dir, ""}
	}
	return Check{name, Fine, fmt.Sprintf("in %s; also those of %s that %s gone", store.Dir, view.Plural(len(gone), "project"), are(len(gone))), "\"refrain ls --all\" lists them, \"refrain prune --gone\" deletes them"}
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
