package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/text"
)

// GoneProject is a project that is no longer where it was, and whose records are
// still there. It may have been moved, and nobody has run anything in it since.
type GoneProject struct {
	Root  string
	Runs  []journal.Entry
	Store journal.Store

	known project.Known
}

// GoneProjects lists the projects of this user that are gone and have records. The
// one around here is not: it may have been moved here, and not be claimed yet.
func GoneProjects(here journal.Store) ([]GoneProject, error) {
	all, err := project.All()
	if err != nil {
		return nil, err
	}
	var list []GoneProject
	for _, k := range all {
		if !k.Gone || k.Dir == here.Dir {
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
// while, and gives where those projects were. One that is surely somewhere, or has
// a live run, stays.
func PruneGone(ctx context.Context, here journal.Store, older time.Duration, dry bool) ([]string, error) {
	if older == 0 {
		older = keepGone
	}
	list, err := GoneProjects(here)
	if err != nil {
		return nil, err
	}
	deleted := []string{}
	for _, g := range list {
		if ctx.Err() != nil {
			break
		}
		if g.known.Elsewhere || !g.old(older) {
			continue
		}
		done := true
		if !dry {
			if done, err = g.forget(); err != nil {
				return nil, fmt.Errorf("delete the records of %s: %w", g.Root, err)
			}
		}
		if done {
			deleted = append(deleted, g.Root)
		}
	}
	return deleted, nil
}

// forget deletes the records, with what they name elsewhere.
func (g GoneProject) forget() (bool, error) {
	return g.known.Forget(func(path string) error {
		if path == g.runs() {
			for _, e := range g.Runs {
				if err := DropProof(e); err != nil {
					return err
				}
			}
		}
		return files.RemoveTree(path)
	})
}

func (g GoneProject) runs() string { return filepath.Join(g.known.Dir, "runs") }

// old tells whether no run is live, and none was for that long. Of one that cannot
// be read, or was set aside, its files tell.
func (g GoneProject) old(older time.Duration) bool {
	read := map[string]bool{}
	for _, e := range g.Runs {
		if read[e.Name] = true; !g.Store.Status(e).Ended() || time.Since(e.State.At) < older {
			return false
		}
	}
	entries, err := os.ReadDir(g.runs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	for _, e := range entries {
		if !read[e.Name()] && time.Since(touched(filepath.Join(g.runs(), e.Name()))) < older {
			return false
		}
	}
	return !g.known.Busy()
}

// touched is when a folder, or a file in it, last changed. What cannot be looked
// at changes now, so that it stays.
func touched(dir string) time.Time {
	var last time.Time
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	if err != nil {
		return time.Now()
	}
	return last
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
		return Check{name, Worry, "in the project itself, where an earlier version has put them: " + store.Dir, "the next run moves them out of the project"}
	}
	if within(store.Tree, store.Dir) {
		return Check{name, Worry, "in the work tree, where the agent can reach them: " + store.Dir, recordsOutside}
	}
	gone, err := GoneProjects(store)
	if err != nil || len(gone) == 0 {
		return Check{name, Fine, "in " + store.Dir, ""}
	}
	return Check{name, Fine, fmt.Sprintf("in %s; also those of %s that %s gone", store.Dir, text.Plural(len(gone), "project"), are(len(gone))), "\"refrain ls --all\" lists them, \"refrain prune --gone\" deletes them"}
}

const recordsOutside = "set XDG_STATE_HOME to a folder outside"

// inReach warns of records in a repository, as those of somebody whose home folder
// that is: no commit of ours takes them along, but one of the agent's would.
func (j *Job) inReach(store journal.Store) []loop.Warning {
	if j.records != "" || store.InProject() || !j.files.Git() || !within(store.Tree, store.Dir) {
		return nil
	}
	return []loop.Warning{{Text: "the records of this run are in the work tree, where the agent can reach and commit them: " + store.Dir, Hint: recordsOutside}}
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// checkSeals sees whether the records here can be checked.
func checkSeals(tree string) Check {
	const name = "seals"
	store, err := journal.Open(tree)
	if err != nil || store.InProject() {
		return Check{name, Fine, "no run is sealed yet", ""} // the check of the records says why
	}
	has, err := store.Keys().Has()
	var damaged *project.KeyError
	if errors.As(err, &damaged) {
		return Check{name, Problem, damaged.Error(), damaged.Hint()}
	}
	runs, _, listErr := store.List()
	if err = errors.Join(err, listErr); err != nil {
		return Check{name, Problem, err.Error(), "look at who owns the file and who may read it"}
	}
	lost := 0
	for _, e := range runs {
		if e.Unchecked != "" {
			lost++
		}
	}
	switch {
	case lost > 0 && !has:
		return Check{name, Worry, fmt.Sprintf("%s is gone: %s here cannot be checked", store.Keys().File(), text.Plural(lost, "run")), "put it back from a copy; else the next run makes another"}
	case lost > 0:
		return Check{name, Worry, fmt.Sprintf("%s here cannot be checked: the key that sealed them is gone", text.Plural(lost, "run")), "put it back to " + store.Keys().File() + " if you have a copy, or delete them with \"refrain prune\""}
	case !has:
		return Check{name, Fine, "no run is sealed yet", ""}
	}
	return Check{name, Fine, "the records are sealed", ""}
}
