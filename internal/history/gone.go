package history

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
	"github.com/refrain-loop/refrain/internal/project"
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
				if err := DropProof(e.Tree, e.Dir); err != nil {
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
