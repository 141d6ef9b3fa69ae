package engine

import (
	"context"

	"github.com/refrain-loop/refrain/internal/loop"
)

// guardGit puts back what decides how git acts in the user's repository: settings,
// hooks, attributes, and what is ignored. What an agent has written there would
// be done by the user's own git, and by a commit of the runner's. It tells
// whether the repository is the one that the run began with.
func (e *Engine) guardGit(ctx context.Context) bool {
	done, err := e.Tree.PutGitBack(ctx, e.guarded[gitFiles])
	switch {
	case err != nil && ctx.Err() != nil:
		return false // it was told to end
	case err != nil:
		e.warn("git files", loop.Warning{Text: err.Error(), Hint: "look at .git yourself before you use git here; the runner commits nothing"})
		return false
	case done.Lost:
		e.warn("git lost", loop.Warning{
			Text: "the .git that the run began with is gone, or another was put in its place",
			Hint: "checkpoints go on, and rollback works; the runner makes no commits until a resume with --accept-config",
			Key:  loop.LostGitKey,
		})
		return false
	case len(done.What) > 0:
		what := loop.Few(done.What)
		e.warn("git "+what, loop.Warning{
			Text: "what git does here was changed during the run, and is put back: " + what,
			Hint: "if it was meant, change it when the run is over",
			Key:  loop.PutBackKey + what,
		})
	}
	return true
}
