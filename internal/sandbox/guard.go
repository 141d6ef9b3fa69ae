package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Guard guards what agents keep of their own and act on later, such as settings with
// hooks. An agent has to write beside it, and Landlock can not shut a file in an
// open folder; nor can a mount keep a file that is not there yet.
//
//	before an agent   Note      what is there is noted
//	after it          PutBack   what differs from the notes is put back
//
// Nobody in the sandbox may be at work while either is called. What is taken away is
// kept aside, for it may have been the user's. Links are noted and put back as links,
// and never followed: what they lead to may be anything.
type Guard struct {
	paths  []string
	partly []partly
	dir    string // of the guard: the notes, and what was taken away
	was    notes  // nil: nothing was noted yet
	most   int    // files that are noted
}

// NewGuard makes the guard of what a place's agents act on. Its folder is one that
// nobody in a sandbox may write.
func NewGuard(p Place, dir string) *Guard {
	names := slices.Concat(p.Agents, p.Reviews)
	paths := p.keptOf(names)
	slices.Sort(paths)
	return &Guard{paths: slices.Compact(paths), partly: partlyOf(p, names), dir: dir, most: maxNoted}
}

// The files of a guard. The notes have the first name while an agent may be at work,
// and the other one between two agents: by that a later runner knows whether there is
// something to put back.
const (
	atWork = "kept.json"
	idle   = "kept-idle.json"
	aside  = "taken"
)

// Note notes what is there. What can not be noted is told, and is not put back.
func (g *Guard) Note(ctx context.Context) []loop.Warning {
	if len(g.paths) == 0 {
		return nil
	}
	l := looker{ctx: ctx, known: g.was, found: notes{}, most: g.most}
	var warnings []loop.Warning
	for _, path := range g.paths {
		if err := l.look(path); err != nil {
			l.forget(path)
			l.found[path] = note{Kind: unknown}
			warnings = append(warnings, unguarded(path, err))
		}
	}
	for _, p := range g.partly {
		one, err := p.note(ctx, g.was[p.path])
		if err != nil {
			one = note{Kind: unknown}
			warnings = append(warnings, unguarded(p.path, err))
		}
		l.found[p.path] = one
	}
	if err := g.save(l.found); err != nil {
		warnings = append(warnings, loop.Warning{Key: "kept.unsaved", Text: fmt.Sprintf("what agents act on later is not kept for a runner that goes on: %v", err)})
	}
	g.was = l.found
	return warnings
}

// PutBack puts back what differs from the notes, and tells what that was. With no
// Note before, it goes by those of a runner that was ended while an agent worked.
func (g *Guard) PutBack(ctx context.Context) []loop.Warning {
	if g.was == nil && !g.load(ctx) {
		return nil
	}
	r := restorer{ctx: ctx, was: g.was, aside: filepath.Join(g.dir, aside), most: g.most}
	var warnings []loop.Warning
	for _, path := range g.paths {
		if g.was[path].Kind == unknown {
			continue
		}
		r.changed = nil
		err := r.restore(path)
		warnings = append(warnings, r.tell(path)...)
		if err != nil {
			warnings = append(warnings, unguarded(path, err))
		}
	}
	for _, p := range g.partly {
		was, noted := g.was[p.path]
		if !noted || was.Kind != keys {
			continue
		}
		changed, kept, err := p.putBack(ctx, was, r.copyAside)
		if err != nil {
			warnings = append(warnings, unguarded(p.path, err))
		} else if len(changed) > 0 {
			warnings = append(warnings, tellKeys(p.path, changed, kept))
		}
	}
	_ = os.Rename(filepath.Join(g.dir, atWork), filepath.Join(g.dir, idle)) // at worst it is put back once more
	return warnings
}

func unguarded(path string, err error) loop.Warning {
	return loop.Warning{
		Key:  "kept.unguarded " + path,
		Text: fmt.Sprintf("what an agent does to %s is not put back: %v", path, err),
		Hint: "the agent acts on it in later sessions, yours among them: look at it when the run is over",
	}
}

// save keeps the notes for a runner that goes on after this one was ended.
func (g *Guard) save(found notes) error {
	at := filepath.Join(g.dir, atWork)
	if g.was != nil && found.same(g.was) && os.Rename(filepath.Join(g.dir, idle), at) == nil {
		return nil
	}
	b, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(g.dir, idle)) // it may not be there
	return files.Replace(at, b, 0o600, files.NoSync)
}

// load takes the notes of an earlier runner, if an agent of its may have been at work
// when it ended.
func (g *Guard) load(ctx context.Context) bool {
	b, err := files.ReadFile(ctx, filepath.Join(g.dir, atWork), maxStored)
	if err != nil {
		return false
	}
	found := notes{}
	if json.Unmarshal(b, &found) != nil {
		return false
	}
	g.was = found
	return true
}

// restorer puts back.
type restorer struct {
	ctx     context.Context
	was     notes
	aside   string
	most    int
	changed []restored
}

// restored is one thing that was put back.
type restored struct {
	path, act, kept string // kept: where what was there is now
}

func (r restored) warning() loop.Warning {
	w := loop.Warning{
		Key:  "kept." + r.act + " " + r.path,
		Text: fmt.Sprintf("%s was changed while an agent worked that acts on it in later sessions; it was %s", r.path, r.act),
	}
	if r.kept != "" {
		w.Hint = ifYou + r.kept
	}
	return w
}

// ifYou begins where that is. Nobody can tell an agent's change from one that the user
// has made beside it.
const ifYou = "if that was you, take what you wrote from "

// maxTold is how many are told one by one. Who updates a plugin changes hundreds.
const maxTold = 5

// tell tells what was put back at a path and below.
func (r *restorer) tell(path string) []loop.Warning {
	var warnings []loop.Warning
	if len(r.changed) > maxTold {
		return []loop.Warning{{
			Key:  "kept.many " + path,
			Text: fmt.Sprintf("%d files in %s were changed while an agent worked that acts on them in later sessions; they were put back", len(r.changed), path),
			Hint: ifYou + r.aside,
		}}
	}
	for _, one := range r.changed {
		warnings = append(warnings, one.warning())
	}
	return warnings
}

// restore puts one thing back, with all that is in it. Folders come first: what is
// wrong with one is mended before anything is done below it.
func (r *restorer) restore(path string) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	was, noted := r.was[path]
	info, err := os.Lstat(path)
	there := err == nil
	switch {
	case err != nil && !files.Absent(err):
		return err
	case !there && !noted:
		return nil
	case !noted:
		return r.takeAway(path)
	case there && was.is(r.ctx, path, info):
	case was.Kind == large:
		return fmt.Errorf("%s was changed, and is too large to be kept", path)
	case was.Kind == odd:
		return fmt.Errorf("%s was changed, and was no file", path)
	default:
		if err := r.replace(path, was, there && !sameFolder(was, info)); err != nil {
			return err
		}
	}
	if was.Kind != folder {
		return nil
	}
	return r.below(path)
}

// sameFolder tells whether only the rights of a folder were changed.
func sameFolder(was note, info fs.FileInfo) bool { return was.Kind == folder && info.IsDir() }

// below puts back what is in a folder.
func (r *restorer) below(dir string) error {
	list, err := names(dir)
	if err != nil {
		return err
	}
	if len(list) > r.most { // too many to be looked at one by one
		if err := r.replace(dir, r.was[dir], true); err != nil {
			return err
		}
		list = nil
	}
	for path := range r.was {
		if filepath.Dir(path) == dir {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	for _, path := range slices.Compact(list) {
		if err := r.restore(path); err != nil {
			return err
		}
	}
	return nil
}

// takeAway puts aside what was not there.
func (r *restorer) takeAway(path string) error {
	kept, err := r.putAside(path)
	if err != nil {
		return err
	}
	r.changed = append(r.changed, restored{path, "taken away", kept})
	return nil
}

// replace writes what was noted where something else is, or nothing.
func (r *restorer) replace(path string, was note, inTheWay bool) (err error) {
	kept := ""
	if inTheWay {
		if kept, err = r.putAside(path); err != nil {
			return err
		}
	}
	if err := was.write(path); err != nil {
		return fmt.Errorf("put %s back: %w", path, err)
	}
	r.changed = append(r.changed, restored{path, "put back", kept})
	return nil
}

// putAside moves what is at a path to a folder of the guard's. That may be on another
// disk: what can not be copied there stays beside, under a name by which nobody acts
// on it. It may be the user's, so nothing is removed that is not kept.
func (r *restorer) putAside(path string) (kept string, err error) {
	if err := os.MkdirAll(r.aside, 0o700); err != nil {
		return "", err
	}
	kept = filepath.Join(r.aside, strings.TrimSuffix(filepath.Base(files.Temp(filepath.Base(path))), files.TempMark))
	if os.Rename(path, kept) == nil {
		return kept, nil
	}
	if files.Copy(path, kept, files.NoSync) == nil {
		return kept, files.RemoveTree(path)
	}
	_ = os.Remove(kept) // it is a folder, a link, or something odd
	kept = filepath.Join(filepath.Dir(path), "."+filepath.Base(kept)+".taken")
	return kept, os.Rename(path, kept)
}
