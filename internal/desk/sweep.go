package desk

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
)

// sweepEvery is how often a worker looks for what it needs no more, and sweepIdle how
// often where it has nothing else to do.
const (
	sweepEvery = 10 * time.Minute
	sweepIdle  = time.Hour
)

// sweepNow removes what a leg leaves that nobody needs: the work tree of a run that is
// over, or somebody else's; and now and then what is left of others.
func (d *Desk) sweepNow(ctx context.Context, l *leg, out fleet.Standing, err error) {
	switch {
	case err != nil || out.Stuck || out.Failed:
	case out.Over():
		_ = d.clear(ctx, l.ID) // what stays only costs room, and is found again
	case out.Taken:
		if now, err := carry.Look(ctx, d.Root, l.Remote, l.ID); err == nil && d.spare(l.ID, now) {
			_ = d.clear(ctx, l.ID)
		}
	}
	d.sweepSoon()
}

// sweepSoon has what is left looked for now and then, while the worker works.
func (d *Desk) sweepSoon() {
	select {
	case d.due <- struct{}{}:
	default: // it is to be done already
	}
}

// sweeping looks for what nobody needs any more: after legs, and while there are none.
func (d *Desk) sweeping(ctx context.Context) {
	every := time.NewTicker(sweepIdle)
	defer every.Stop()
	var swept time.Time
	for {
		select {
		case <-every.C:
		case <-d.due:
		case <-ctx.Done():
			return
		}
		if time.Since(swept) >= sweepEvery {
			swept = time.Now()
			d.Sweep(ctx)
		}
	}
}

// Sweep removes the work trees of runs that are elsewhere by now, or have waited for
// long. What is not on the remote as it is here stays; what was deleted there stays for as
// long as the work tree of a run that waits.
func (d *Desk) Sweep(ctx context.Context) {
	entries, err := os.ReadDir(filepath.Join(d.Root, "runs"))
	if err != nil {
		return
	}
	there := map[string]map[string]string{} // the refs of remotes
	for _, e := range entries {
		id := e.Name()
		o, ok := d.origin(id)
		if !ok {
			continue
		}
		if _, known := there[o.Remote]; !known && d.allows(o.Remote) == nil {
			there[o.Remote], _ = carry.Refs(ctx, d.Root, o.Remote, carry.Prefix+"*") // nil where nobody can tell
		}
		refs := there[o.Remote]
		if refs == nil || !d.spare(id, refs[carry.Prefix+id]) {
			continue
		}
		_ = d.clearUnlessLive(ctx, id)
	}
	d.sweepMirrors()
}

// sweepMirrors removes the mirrors of remotes that no work tree borrows from, and that
// nobody has asked for in a long time.
func (d *Desk) sweepMirrors() {
	entries, _ := os.ReadDir(filepath.Join(d.Root, "mirrors")) // what stays only costs room
	for _, e := range entries {
		dir := filepath.Join(d.Root, "mirrors", e.Name())
		unlock := d.lockMirror(dir)
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) >= d.Keep && !d.borrowed(dir) {
			_ = files.RemoveTree(dir)
		}
		unlock()
	}
}

// borrowed tells whether there is a run of the remote of a mirror. A leg says so before
// it asks for the mirror.
func (d *Desk) borrowed(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(d.Root, "runs"))
	for _, e := range entries {
		if o, ok := d.origin(e.Name()); ok && d.mirrorOf(o.Remote) == dir {
			return true
		}
	}
	return err != nil
}

// spare tells whether nobody needs what is here of a run, whose ref is at now.
func (d *Desk) spare(id, now string) bool {
	for _, tree := range d.trees(id) {
		_, _, note := here(tree, id)
		switch {
		case note == nil: // nothing has begun in it
			if info, err := os.Stat(tree); err == nil && time.Since(info.ModTime()) < d.Keep {
				return false
			}
		case now == "": // it was deleted there; what is here may be wanted for a while
			if time.Since(note.Since) < d.Keep {
				return false
			}
		case note.At == now && (!note.There || time.Since(note.Since) < d.Keep):
			return false
		}
	}
	return true
}

func (d *Desk) origin(id string) (o origin, ok bool) {
	b, err := files.ReadFile(context.Background(), filepath.Join(d.home(id), "run.json"), git.SmallFile)
	if err != nil || json.Unmarshal(b, &o) != nil {
		return o, false
	}
	return o, o.ID == id && isRun(id)
}

// clearUnlessLive removes what is here of a run that no leg is at. One that comes
// meanwhile waits.
func (d *Desk) clearUnlessLive(ctx context.Context, id string) error {
	d.mu.Lock()
	if d.live[id] != nil {
		d.mu.Unlock()
		return nil
	}
	l := newLeg(d, fleet.Turn{Spec: fleet.Spec{ID: id}}, fleet.Hooks{})
	d.live[id] = l
	d.mu.Unlock()
	defer d.exit(l)
	return d.clear(ctx, id)
}

// clear ends what is left of a run here, and removes its work trees and their records.
func (d *Desk) clear(ctx context.Context, id string) error {
	var trees []string
	for _, tree := range d.trees(id) {
		_, _ = proc.CleanUp(ctx, nil, tree, id) // as far as this system can tell
		trees = append(trees, tree)
	}
	if err := files.RemoveTree(d.home(id)); err != nil {
		return err
	}
	return forget(trees)
}

// forget removes the records of work trees that are gone.
func forget(trees []string) error {
	if len(trees) == 0 {
		return nil
	}
	all, err := project.All()
	if err != nil {
		return err
	}
	for _, known := range all {
		for _, tree := range trees {
			if known.Root != tree {
				continue
			}
			if _, err := known.Forget(files.RemoveTree); err != nil {
				return err
			}
		}
	}
	return nil
}
