package engine

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proof"
)

// guards is what guarded files held when the run began: the protected ones, and
// those that each gate pins.
type guards map[string]git.Guarded

// pinnedNow is what the pinned files hold; nil when there are none.
func (e *Engine) pinnedNow(ctx context.Context) git.Guarded {
	patterns, err := glob.Parse(e.Judge.Pins())
	if err != nil || len(patterns) == 0 {
		return nil // they were read before the run began
	}
	now, err := e.Tree.Guard(ctx, patterns)
	if err != nil {
		e.warn("pins", loop.Warning{Text: err.Error(), Hint: "a change of pinned files that git ignores is not seen while this lasts"})
		return nil
	}
	return now
}

// spoil takes note of the pinned files that an agent has changed, from before it
// to after it: gates leave caches beside the tests, which is no agent's doing.
func (e *Engine) spoil(ctx context.Context, a *attempt) {
	if a.pins == nil {
		return
	}
	now, first := e.pinnedNow(ctx), e.guarded[e.pinKey()]
	if now == nil {
		return
	}
	spoiled := maps.Clone(e.guarded[spoiledFiles])
	for _, name := range now.Against(a.pins) {
		if _, was := first[name]; was {
			spoiled[name] = "changed"
		}
	}
	maps.DeleteFunc(spoiled, func(name, _ string) bool { return now[name] == first[name] })
	if maps.Equal(spoiled, e.guarded[spoiledFiles]) {
		return
	}
	e.guarded[spoiledFiles], e.Judge.Spoiled = spoiled, spoiled
	e.writeGuarded()
}

func (e *Engine) writeGuarded() {
	before := e.Journal.Attempt(0, 1)
	before.WriteGuarded(e.guarded)
	before.Close()
}

// pinKey is under what the pinned files are noted: a gate that pins others later
// has other notes.
func (e *Engine) pinKey() string { return noteKey("pins", e.Judge.Pins()) }

func noteKey(name string, patterns []string) string { return name + " " + strings.Join(patterns, " ") }

// Under what names other files are noted.
const (
	hookFiles    = "hooks/"
	gitFiles     = "git/"
	userGit      = "git of the user/"
	commitRuns   = "run by commits/"
	spoiledFiles = "spoiled/"
)

// guardFrom takes note of protected and pinned files as they are before the
// first iteration; a runner that goes on reads what the first one noted.
func (e *Engine) guardFrom(ctx context.Context) error {
	before := e.Journal.Attempt(0, 1)
	defer before.Close()
	notes := guards{}
	before.ReadGuarded(&notes)
	known := len(notes)
	if e.Accepted {
		for _, name := range []string{hookFiles, gitFiles, userGit, commitRuns} {
			delete(notes, name)
		}
		known = -1
	}
	if e.rehomeGit(ctx, notes) {
		known = -1
	}
	e.guarded = notes
	e.noteGit(ctx, notes)
	if _, ok := notes[hookFiles]; !ok {
		files, err := e.hookFiles(ctx)
		if err != nil {
			return err
		}
		notes[hookFiles] = files
	}
	if _, ok := notes[e.guardKey()]; !ok && len(e.Protect) > 0 {
		files, err := e.Tree.Guard(ctx, e.Protect)
		if err != nil {
			return err
		}
		notes[e.guardKey()] = files
	}
	if _, ok := notes[spoiledFiles]; !ok {
		notes[spoiledFiles] = git.Guarded{}
	}
	if _, ok := notes[e.pinKey()]; !ok && len(e.Judge.Pins()) > 0 {
		if err := e.notePins(ctx, notes); err != nil {
			return err
		}
	}
	if len(notes) > known {
		before.WriteGuarded(notes)
	}
	e.Judge.Spoiled = notes[spoiledFiles]
	var earlier proof.Known
	if before.ReadKnown(&earlier) {
		e.Judge.Recall(earlier)
	}
	e.Judge.Remember = func(known proof.Known) {
		before := e.Journal.Attempt(0, 1)
		before.WriteKnown(known)
		before.Close()
	}
	return nil
}

// notePins takes note of the pinned files. A pin that holds nothing is told.
func (e *Engine) notePins(ctx context.Context, notes guards) error {
	all := git.Guarded{}
	for _, g := range e.Judge.Gates {
		patterns, err := glob.Parse(g.Pin)
		if err != nil || len(patterns) == 0 {
			continue // they were read before the run began
		}
		files, err := e.Tree.Guard(ctx, patterns)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			e.record(&loop.Warning{Text: fmt.Sprintf("the pin of gate %s matches no file", g.Name()), Hint: "write patterns as in a .gitignore file, from the work tree"})
		}
		maps.Copy(all, files)
	}
	notes[e.pinKey()] = all
	return nil
}

// hookFiles is the files that would be executed as hooks.
func (e *Engine) hookFiles(ctx context.Context) (git.Guarded, error) {
	patterns, err := glob.Parse([]string{"/" + hook.Folder + "/*", "!*.sample"})
	if err != nil {
		return nil, err
	}
	return e.Tree.GuardBelow(ctx, hook.Folder, patterns)
}

// strange names the hooks that are not what they were when the run began: an
// agent may have written them, and they would run outside of whatever it is
// held in.
func (e *Engine) strange(ctx context.Context) ([]string, error) {
	now, err := e.hookFiles(ctx)
	if err != nil {
		return nil, err
	}
	return now.Against(e.guarded[hookFiles]), nil
}

// guardKey is under what the protected files are noted.
func (e *Engine) guardKey() string { return noteKey(guard, e.Protected) }

// touched names the protected files that are not what they were when the run
// began.
func (e *Engine) touched(ctx context.Context) ([]string, error) {
	if len(e.Protect) == 0 {
		return nil, nil
	}
	now, err := e.Tree.Guard(ctx, e.Protect)
	if err != nil {
		return nil, err
	}
	return now.Against(e.guarded[e.guardKey()]), nil
}
