package engine

import (
	"context"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// noteGit takes note of all that decides what git does here: the files of the
// repository, the user's own settings, which hold for the whole run from now on,
// and what a commit runs. What was noted before stays, and so does that it could
// not be: later an agent has been at work. Only a person can say that it is good.
func (e *Engine) noteGit(ctx context.Context, notes guards) {
	note := func(name string, look func(context.Context) (git.Guarded, error), unguarded string) {
		if _, ok := notes[name]; ok {
			return
		}
		switch found, err := look(ctx); {
		case err != nil && ctx.Err() != nil: // the run ends before an agent starts
		case err != nil && e.Accepted:
			e.record(&loop.Warning{Text: err.Error(), Hint: unguarded})
		case err != nil:
			e.record(&loop.Warning{Text: err.Error(), Hint: unguarded + ": the runner commits nothing until a resume with --accept-config"})
			notes[name] = git.NotKnown(err)
		case found != nil:
			notes[name] = found
		}
	}
	note(gitFiles, e.Tree.GitFiles, "what the agent does to the settings of git is not put back")
	e.guardGit(ctx) // the last runner may have died before it could
	note(userGit, e.Tree.UserSettings, "what the agent does to your own settings of git is heeded")
	if was := notes.known(userGit); was != nil {
		if err := e.Tree.UseSettings(ctx, filepath.Join(e.Journal.Dir(), "gitconfig"), was); err != nil && ctx.Err() == nil {
			e.record(&loop.Warning{Text: err.Error(), Hint: "what the agent does to your own settings of git is heeded"})
		}
	}
	note(commitRuns, e.Tree.CommitRuns, "what the agent does to your hooks of git is not seen")
}

// known is what was noted under a name; nil when nothing was.
func (g guards) known(name string) git.Guarded {
	if notes := g[name]; notes.WhyNotKnown() == "" {
		return notes
	}
	return nil
}

// guardGit puts back what decides how git acts in the user's repository: settings,
// hooks, attributes, and what is ignored. What an agent has written there would
// be done by the user's own git, and by a commit of the runner's. It tells
// whether the repository is the one that the run began with; cut says that nobody
// can tell, for it was told to end.
func (e *Engine) guardGit(ctx context.Context) (same, cut bool) {
	ctx, over := e.hurrying(ctx)
	defer over()
	done, err := e.Tree.PutGitBack(ctx, e.guarded.known(gitFiles))
	if err != nil && ctx.Err() != nil {
		return false, true
	}
	if len(done.What) > 0 {
		what := text.FirstFew(done.What)
		e.warn("git "+what, loop.Warning{
			Text: "what git does here was changed since the run began, and is put back: " + what,
			Hint: "if it was meant, change it when the run is over" + e.savePutBack(done),
			Key:  loop.PutBackKey + what,
		})
	}
	switch {
	case err != nil:
		e.warn("git files", loop.Warning{Text: err.Error(), Hint: "look at .git yourself before you use git here; the runner commits nothing"})
		return false, false
	case done.Lost:
		e.warn("git lost", loop.Warning{
			Text: "the .git that the run began with is gone, or another was put in its place",
			Hint: "checkpoints go on, and rollback works; the runner makes no commits until a resume with --accept-config",
			Key:  loop.LostGitKey,
		})
		return false, false
	}
	e.tellUserGit(ctx)
	return true, false
}

// tellUserGit tells that the user's own settings of git are not what they were. They
// are the user's, who may have changed them, so they are not put back; git does
// not read them in this run.
func (e *Engine) tellUserGit(ctx context.Context) {
	strange, err := git.StrangeSettings(ctx, e.guarded.known(userGit))
	if err != nil || len(strange) == 0 {
		return // where nobody can tell, they are not read either
	}
	what := text.FirstFew(strange)
	e.warn("user git "+what, loop.Warning{
		Text: "your settings of git were changed during the run, and are used as they were: " + what,
		Hint: "look at them before you use git: the next run takes them as they are; a resume does with --accept-config",
		Key:  loop.UnusedGitKey + what,
	})
}

// strangeRuns tells of something that a commit would run and that is not what it
// was when the run began; nil when there is nothing. An agent may have written it,
// and it would run outside of whatever that is held in. Of cut see guardGit.
func (e *Engine) strangeRuns(ctx context.Context) (strange *loop.Warning, cut bool) {
	for _, name := range []string{gitFiles, userGit, commitRuns} {
		if why := e.guarded[name].WhyNotKnown(); why != "" {
			return &loop.Warning{
				Text: "what a commit runs is not known as it was when the run began: " + why,
				Hint: "the checkpoint has the work; look at your hooks and settings of git, and resume with --accept-config",
			}, false
		}
	}
	was := e.guarded.known(commitRuns)
	if was == nil {
		return nil, false
	}
	ctx, over := e.hurrying(ctx)
	defer over()
	now, err := e.Tree.CommitRuns(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, true
	case err != nil:
		return withheld(err.Error()), false
	}
	changed := now.Against(was)
	if len(changed) == 0 {
		return nil, false
	}
	what := text.FirstFew(changed)
	return &loop.Warning{
		Text: "what a commit runs was changed since the run began: " + what,
		Hint: "the checkpoint has the work; if the change is good, commit it yourself, or resume with --accept-config",
		Key:  loop.UnusedGitKey + what,
	}, false
}

// leftByHooks takes into the notes what the user's own hooks have left beside
// themselves in a commit, such as a cache. Just before it, all was as noted.
func (e *Engine) leftByHooks(ctx context.Context) {
	ctx, over := e.hurrying(context.WithoutCancel(ctx))
	defer over()
	changed := false
	take := func(name string, left func(context.Context, git.Guarded) (git.Guarded, error)) {
		was := e.guarded.known(name)
		if was == nil {
			return
		}
		if now, err := left(ctx, was); err == nil && len(now.Against(was)) > 0 { // whoever looks next tells of an error
			e.guarded[name], changed = now, true
		}
	}
	take(gitFiles, e.Tree.GitFilesLeft)
	take(commitRuns, e.Tree.CommitRunsLeft)
	if changed {
		e.writeGuarded()
	}
}

// rehomeGit has the notes of a run speak of the repository here, when the project
// is elsewhere than where they were taken, or an earlier version took them. It
// tells whether they are others now.
func (e *Engine) rehomeGit(ctx context.Context, notes guards) bool {
	was := notes.known(gitFiles)
	if was == nil {
		return false
	}
	now, other, err := e.Tree.Rehome(ctx, was)
	if err != nil {
		e.record(&loop.Warning{Text: err.Error(), Hint: "what the agent does to the settings of git is not put back"})
	}
	if other {
		e.record(&loop.Warning{
			Text: "the project was copied, or moved to another disk, since the run last worked: the .git here is taken for its own",
			Hint: "its settings and hooks are put back as they were when the run began",
		})
	}
	notes[gitFiles] = now
	return len(now.Against(was)) > 0
}

// savePutBack keeps what was taken away among the records, and says where.
func (e *Engine) savePutBack(done git.PutBack) string {
	dir := filepath.Join(e.Journal.Dir(), "put-back", e.now().UTC().Format("20060102T150405.000"))
	switch saved, err := done.Save(dir); {
	case err != nil:
		return "; what was there could not be kept: " + err.Error()
	case saved:
		return "; what was there is in " + dir
	}
	return ""
}
