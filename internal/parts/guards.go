package parts

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/hook"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Guards knows what guarded files held when the run began: the protected ones,
// those that gates pin, and hooks. What is known is in the run's folder.
type Guards struct {
	*engine.Kit
	GuardSettings
	Files *git.Tree
	Pins  []Pin

	notes   notes
	changed bool        // the notes are not what the folder has
	pins    git.Guarded // what pinned files held before the agent; nil when there are none
}

// GuardSettings say what is guarded.
type GuardSettings struct {
	Protect   glob.Patterns // files whose change fails the attempt
	Protected []string      // the same as written
	Accepted  bool          // a person has looked at what changed since the run began
}

// Pin is the files that a gate is judged with as they were.
type Pin struct {
	Gate     string
	Patterns []string // as in a .gitignore file
}

// notes is what was noted, by what it is about.
type notes map[string]git.Guarded

// known is what was noted under a name; nil when nothing was.
func (n notes) known(name string) git.Guarded {
	if found := n[name]; found.WhyNotKnown() == "" {
		return found
	}
	return nil
}

// Under what names files are noted.
const (
	hookFiles   = "hooks/"
	gitFiles    = journal.NotedGit
	userGit     = journal.NotedUserGit
	commitRuns  = journal.NotedCommitRuns
	changedPins = "spoiled/"
)

// Load reads what an earlier runner noted.
func (g *Guards) Load(context.Context) error {
	before := g.Journal.Attempt(0, 1)
	defer before.Close()
	g.notes = notes{}
	before.ReadGuarded(&g.notes)
	if g.Accepted {
		for _, name := range []string{hookFiles, gitFiles, userGit, commitRuns} {
			delete(g.notes, name)
		}
		g.changed = true
	}
	return nil
}

// Note takes note of hooks and of protected and pinned files as they are before
// the first iteration; what the first runner noted stays.
func (g *Guards) Note(ctx context.Context) error {
	if err := g.noteOnce(hookFiles, func() (git.Guarded, error) { return g.hookFiles(ctx) }); err != nil {
		return err
	}
	if len(g.Protect) > 0 {
		if err := g.noteOnce(g.protectKey(), func() (git.Guarded, error) { return g.Files.Protected(ctx, g.Protect) }); err != nil {
			return err
		}
	}
	if err := g.noteOnce(changedPins, func() (git.Guarded, error) { return git.Guarded{}, nil }); err != nil {
		return err
	}
	if len(g.pinned()) > 0 {
		if err := g.noteOnce(g.pinKey(), func() (git.Guarded, error) { return g.lookAtPins(ctx) }); err != nil {
			return err
		}
	}
	g.save()
	return nil
}

func (g *Guards) noteOnce(name string, look func() (git.Guarded, error)) error {
	if _, ok := g.notes[name]; ok {
		return nil
	}
	found, err := look()
	if err == nil {
		g.set(name, found)
	}
	return err
}

func (g *Guards) set(name string, found git.Guarded) { g.notes[name], g.changed = found, true }

// save writes the notes to the run's folder, if they are others now.
func (g *Guards) save() {
	if !g.changed {
		return
	}
	before := g.Journal.Attempt(0, 1)
	before.WriteGuarded(g.notes)
	before.Close()
	g.changed = false
}

// protectKey and pinKey are under what files are noted that settings name: other
// settings later have other notes.
func (g *Guards) protectKey() string { return "protect " + strings.Join(g.Protected, " ") }

func (g *Guards) pinKey() string { return "pins " + strings.Join(g.pinned(), " ") }

// pinned is the patterns of all gates.
func (g *Guards) pinned() []string {
	var list []string
	for _, p := range g.Pins {
		list = append(list, p.Patterns...)
	}
	return list
}

// lookAtPins is what the pinned files hold. A pin that holds nothing is told.
func (g *Guards) lookAtPins(ctx context.Context) (git.Guarded, error) {
	all := git.Guarded{}
	for _, pin := range g.Pins {
		patterns, err := glob.Parse(pin.Patterns)
		if err != nil || len(patterns) == 0 {
			continue // they were read before the run began
		}
		files, err := g.Files.Protected(ctx, patterns)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			g.Record(&loop.Warning{Text: fmt.Sprintf("the pin of gate %s matches no file", pin.Gate), Hint: "write patterns as in a .gitignore file, from the work tree"})
		}
		maps.Copy(all, files)
	}
	return all, nil
}

// TakePins takes in what pinned files hold before the agent.
func (g *Guards) TakePins(ctx context.Context, _ *engine.Attempt) { g.pins = g.pinsNow(ctx) }

// pinsNow is what the pinned files hold; nil when there are none.
func (g *Guards) pinsNow(ctx context.Context) git.Guarded {
	patterns, err := glob.Parse(g.pinned())
	if err != nil || len(patterns) == 0 {
		return nil // they were read before the run began
	}
	now, err := g.Files.Protected(ctx, patterns)
	if err != nil {
		g.Warn("pins", loop.Warning{Text: err.Error(), Hint: "a change of pinned files that git ignores is not seen while this lasts"})
		return nil
	}
	return now
}

// NoteChangedPins takes note of the pinned files that an agent has changed, from
// before it to after it: gates leave caches beside the tests, which is not an agent's
// doing.
func (g *Guards) NoteChangedPins(ctx context.Context, a *engine.Attempt) {
	if g.pins == nil || a.CutShort {
		return
	}
	now, first := g.pinsNow(ctx), g.notes[g.pinKey()]
	if now == nil {
		return
	}
	changed := maps.Clone(g.notes[changedPins])
	for _, name := range now.Against(g.pins) {
		if _, was := first[name]; was {
			changed[name] = "changed"
		}
	}
	maps.DeleteFunc(changed, func(name, _ string) bool { return now[name] == first[name] })
	if !maps.Equal(changed, g.notes[changedPins]) {
		g.set(changedPins, changed)
		g.save()
	}
}

// ChangedPins is the pinned files that agents have changed, those that git ignores
// too.
func (g *Guards) ChangedPins() git.Guarded { return g.notes[changedPins] }

// hookFiles is the files that would be executed as hooks.
func (g *Guards) hookFiles(ctx context.Context) (git.Guarded, error) {
	patterns, err := glob.Parse([]string{"/" + hook.Folder + "/*", "!*.sample"})
	if err != nil {
		return nil, err
	}
	return g.Files.ProtectedBelow(ctx, hook.Folder, patterns)
}

// changedHooks names the hooks that are not what they were when the run began: an
// agent may have written them, and they would run outside of whatever it is
// held in.
func (g *Guards) changedHooks(ctx context.Context) ([]string, error) {
	now, err := g.hookFiles(ctx)
	if err != nil {
		return nil, err
	}
	return now.Against(g.notes[hookFiles]), nil
}

// CheckProtected fails an attempt as long as a protected file is not what it was
// when the run began.
func (g *Guards) CheckProtected(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if o.Result != loop.OK {
		return
	}
	changed, err := g.changedProtected(ctx)
	why := ""
	switch {
	case err != nil:
		why = "the protected files cannot be looked at: " + err.Error()
	case len(changed) > 0:
		why = fmt.Sprintf("protected %s changed: %s", text.OneOrMany(len(changed), "file", "files"), text.FirstFew(changed))
	default:
		return
	}
	o.Gates = append(o.Gates, loop.Gate{Name: loop.ProtectGate, Where: loop.InWorkspace, Why: why})
	o.Result = loop.Failed
	a.Feedback = append(a.Feedback, why+"; put back what was there when the run began, and leave it alone")
	g.Record(&loop.GateFinished{Gate: o.Gates[0]})
}

// changedProtected names the protected files that are not what they were when the
// run began.
func (g *Guards) changedProtected(ctx context.Context) ([]string, error) {
	if len(g.Protect) == 0 {
		return nil, nil
	}
	now, err := g.Files.Protected(ctx, g.Protect)
	if err != nil {
		return nil, err
	}
	return now.Against(g.notes[g.protectKey()]), nil
}
