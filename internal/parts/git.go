package parts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Git keeps what decides how git acts as it was when the run began: what an agent
// has written there would be done by the user's own git, and by a commit of the
// runner's.
type Git struct {
	*engine.Kit
	Files  *git.Tree
	Guards *Guards

	locks *git.Locks // where they are; nil: not looked for yet, or nobody can tell
}

// Note takes note of all that decides what git does here: the files of the
// repository, the user's own settings, which hold for the whole run from now on,
// and what a commit runs. What was noted before stays, and so does that it could
// not be: later an agent has been at work. Only a person can say that it is good.
func (g *Git) Note(ctx context.Context) error {
	g.rehome(ctx)
	g.noteOnce(ctx, gitFiles, g.Files.Guard().Files, "what the agent does to the settings of git is not put back")
	g.putBack(ctx) // the last runner may have died before it could
	g.noteOnce(ctx, userGit, g.Files.Guard().UserSettings, "what the agent does to your own settings of git is heeded")
	if was := g.Guards.notes.known(userGit); was != nil {
		if err := g.Files.Guard().UseSettings(ctx, filepath.Join(g.Journal.Dir(), "gitconfig"), was); err != nil && ctx.Err() == nil {
			g.Record(&loop.Warning{Text: err.Error(), Hint: "what the agent does to your own settings of git is heeded"})
		}
	}
	g.noteOnce(ctx, commitRuns, g.Files.Guard().CommitRuns, "what the agent does to your hooks of git is not seen")
	return nil
}

func (g *Git) noteOnce(ctx context.Context, name string, look func(context.Context) (git.Guarded, error), unguarded string) {
	if _, ok := g.Guards.notes[name]; ok {
		return
	}
	switch found, err := look(ctx); {
	case err != nil && ctx.Err() != nil: // the run ends before an agent starts
	case err != nil && g.Guards.Accepted:
		g.Record(&loop.Warning{Text: err.Error(), Hint: unguarded})
	case err != nil:
		g.Record(&loop.Warning{Text: err.Error(), Hint: unguarded + ": the runner commits nothing until a resume with --accept-config"})
		g.Guards.set(name, git.NotKnown(err))
	case found != nil:
		g.Guards.set(name, found)
	}
}

// rehome has the notes of a run speak of the repository here, when the project
// is elsewhere than where they were taken, or an earlier version took them.
func (g *Git) rehome(ctx context.Context) {
	was := g.Guards.notes.known(gitFiles)
	if was == nil {
		return
	}
	now, other, err := g.Files.Guard().Rehome(ctx, was)
	if err != nil {
		g.Record(&loop.Warning{Text: err.Error(), Hint: "what the agent does to the settings of git is not put back"})
	}
	if other {
		g.Record(&loop.Warning{
			Text: "the project was copied, or moved to another disk, since the run last worked: the .git here is taken for its own",
			Hint: "its settings and hooks are put back as they were when the run began",
		})
	}
	if len(now.Against(was)) > 0 {
		g.Guards.changed = true
	}
	g.Guards.notes[gitFiles] = now
}

// PutBack puts back what decides how git acts in the user's repository: settings,
// hooks, attributes, and what is ignored.
func (g *Git) PutBack(ctx context.Context, _ *engine.Attempt) { g.putBack(ctx) }

// PutBackAgain does the same after gates, hooks and a commit: they run what the agent
// wrote.
func (g *Git) PutBackAgain(ctx context.Context, _ *engine.Attempt, _ *loop.Outcome) {
	g.putBack(ctx)
}

// LeaveBack does it once more, when all is over.
func (g *Git) LeaveBack(*loop.RunFinished) { g.putBack(context.Background()) }

// putBack tells whether the repository is the one that the run began with; cut
// says that nobody can tell, for it was told to end.
func (g *Git) putBack(ctx context.Context) (same, cut bool) {
	ctx, over := g.ForGit(ctx)
	defer over()
	done, err := g.Files.Guard().PutBack(ctx, g.Guards.notes.known(gitFiles))
	if err != nil && ctx.Err() != nil {
		return false, true
	}
	if len(done.What) > 0 {
		what := text.FirstFew(done.What)
		g.Warn("git "+what, loop.Warning{
			Text: "what git does here was changed since the run began, and is put back: " + what,
			Hint: "if you want that change, make it when the run is over" + g.save(done),
			Key:  loop.PutBackKey + what,
		})
	}
	switch {
	case err != nil:
		g.Warn("git files", loop.Warning{Text: err.Error(), Hint: "look at .git yourself before you use git here; the runner commits nothing"})
		return false, false
	case done.Lost:
		g.Warn("git lost", loop.Warning{
			Text: "the .git that the run began with is gone, or another was put in its place: run no git here before you have looked at it, for its settings may name programs",
			Hint: "checkpoints go on, and rollback works; the runner makes no commits until a resume with --accept-config",
			Key:  loop.LostGitKey,
		})
		return false, false
	}
	g.tellUserGit(ctx)
	return true, false
}

// save keeps what was taken away among the records, and says where.
func (g *Git) save(done git.Restored) string {
	dir := filepath.Join(g.Journal.Dir(), "put-back", g.Now().UTC().Format("20060102T150405.000"))
	switch saved, err := done.Save(dir); {
	case err != nil:
		return "; what was there could not be kept: " + err.Error()
	case saved:
		return "; what was there is in " + dir
	}
	return ""
}

// tellUserGit tells that the user's own settings of git are not what they were. They
// are the user's, who may have changed them, so they are not put back; git does
// not read them in this run.
func (g *Git) tellUserGit(ctx context.Context) {
	strange, err := git.StrangeSettings(ctx, g.Guards.notes.known(userGit))
	if err != nil || len(strange) == 0 {
		return // where nobody can tell, they are not read either
	}
	what := text.FirstFew(strange)
	g.Warn("user git "+what, loop.Warning{
		Text: "your settings of git were changed during the run, and are used as they were: " + what,
		Hint: "look at them before you use git: the next run takes them as they are; a resume does with --accept-config",
		Key:  loop.UnusedGitKey + what,
	})
}

// changedRuns tells of something that a commit would run and that is not what it
// was when the run began; nil when there is nothing. An agent may have written it,
// and it would run outside of whatever that is held in. Of cut see putBack.
func (g *Git) changedRuns(ctx context.Context) (changed *loop.Warning, cut bool) {
	for _, name := range []string{gitFiles, userGit, commitRuns} {
		if why := g.Guards.notes[name].WhyNotKnown(); why != "" {
			return &loop.Warning{
				Text: "what a commit runs is not known as it was when the run began: " + why,
				Hint: "the checkpoint has the work; look at your hooks and settings of git, and resume with --accept-config",
			}, false
		}
	}
	was := g.Guards.notes.known(commitRuns)
	if was == nil {
		return nil, false
	}
	ctx, over := g.ForGit(ctx)
	defer over()
	now, err := g.Files.Guard().CommitRuns(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, true
	case err != nil:
		return withheld(err.Error()), false
	}
	others := now.Against(was)
	if len(others) == 0 {
		return nil, false
	}
	what := text.FirstFew(others)
	return &loop.Warning{
		Text: "what a commit runs was changed since the run began: " + what,
		Hint: "the checkpoint has the work; if the change is good, commit it yourself, or resume with --accept-config",
		Key:  loop.UnusedGitKey + what,
	}, false
}

// noteLeftByHooks takes into the notes what the user's own hooks have left beside
// themselves in a commit, such as a cache. Just before it, all was as noted.
func (g *Git) noteLeftByHooks(ctx context.Context) {
	ctx, over := g.ForGit(context.WithoutCancel(ctx))
	defer over()
	take := func(name string, left func(context.Context, git.Guarded) (git.Guarded, error)) {
		was := g.Guards.notes.known(name)
		if was == nil {
			return
		}
		if now, err := left(ctx, was); err == nil && len(now.Against(was)) > 0 { // whoever looks next tells of an error
			g.Guards.set(name, now)
		}
	}
	take(gitFiles, g.Files.Guard().FilesLeft)
	take(commitRuns, g.Files.Guard().CommitRunsLeft)
	g.Guards.save()
}

// FindLocks finds where locks of git's are, before an agent can send us to those
// of another repository.
func (g *Git) FindLocks(ctx context.Context) error {
	g.gitLocks(ctx)
	return nil
}

func (g *Git) gitLocks(ctx context.Context) *git.Locks {
	if g.locks == nil {
		g.locks, _ = g.Files.Locks(ctx) // a broken repository is told of by who needs it
	}
	return g.locks
}

// DropLocks removes the git locks that came with an attempt, when all who could
// have made them are dead: with them there, neither agents nor the runner would
// commit any more.
func (g *Git) DropLocks(ctx context.Context, a *engine.Attempt) {
	if a.Began {
		g.dropLocks(ctx, a.Iter, a.Born)
	}
}

func (g *Git) dropLocks(ctx context.Context, iter int, since time.Time) {
	ctx, over := g.ForGit(ctx)
	defer over()
	dropped, err := g.gitLocks(ctx).Drop(ctx, since)
	if w := LocksDropped(dropped, err); w != nil {
		g.Warn(fmt.Sprint("locks ", iter, " ", w.Text), *w)
	}
}

// LocksDropped tells people of locks that were removed, or could not be; nil when
// there is nothing to tell.
func LocksDropped(dropped []string, err error) *loop.Warning {
	var unjudged *git.UnjudgedError
	switch {
	case len(dropped) > 0:
		return &loop.Warning{Text: fmt.Sprintf("removed %s, which a git that was ended left", text.FirstFew(dropped))}
	case errors.As(err, &unjudged):
		return &loop.Warning{Text: err.Error(), Hint: unjudged.Hint()}
	case err != nil:
		return &loop.Warning{Text: "a git that was ended left a lock, which cannot be removed: " + err.Error()}
	}
	return nil
}
