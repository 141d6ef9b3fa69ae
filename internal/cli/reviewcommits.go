package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/review"
	"github.com/refrain-loop/refrain/internal/text"
)

// squash makes commits of what is left of the run.
func (r *reviewed) squash(ctx context.Context, w *reviewWishes) (*history.Squashed, error) {
	if err := r.hooksAreKnown(w); err != nil {
		return nil, err
	}
	parts, err := r.h.Parts(ctx)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, usage(r.entry.Name+" has left nothing to commit", fmt.Sprintf("\"refrain review %s\" lists what it changed", r.entry.Name))
	}
	if w.one {
		parts = []history.Part{history.Whole(parts)}
	}
	asked := r.asked()
	done, err := r.h.Squash(ctx, parts, history.Squash{
		Onto: w.onto, Branch: w.branch, NoHooks: w.noVerify, DryRun: w.dryRun, AsItIs: !w.squash && !w.one,
		Say: func(p history.Part) (string, []string) {
			facts := review.Facts{Tasks: p.Tasks, Iterations: p.Iterations, Summary: p.Summary, Subject: w.message}
			if len(parts) == 1 { // else it is the rest, and was not asked for by itself
				facts.Asked = asked
			}
			return review.Message(r.run, facts)
		},
	})
	var conflict *git.ConflictError
	if errors.As(err, &conflict) {
		hint := "no commit was made; leave the file out with --drop, or commit it yourself"
		if w.onto != "" {
			hint = "no commit was made; make a branch of it with --branch NAME, then merge that with git and solve it there"
		}
		return nil, failure{fmt.Sprintf("the work of %s does not fit: %s", r.entry.Name, conflict), hint, statusFailed}
	}
	var failed *git.Error
	if errors.As(err, &failed) {
		return nil, failure{
			"no commit was made: " + strings.TrimRight(text.Line(failed.Error()), ": "),
			"mend what git or its hook says, or go without hooks with --no-verify", statusFailed,
		}
	}
	return done, err
}

// hooksAreKnown refuses to run what the run itself has put in the place of hooks.
func (r *reviewed) hooksAreKnown(w *reviewWishes) error {
	if w.noVerify || w.dryRun {
		return nil
	}
	at := slices.IndexFunc(r.run.Sum.RunsLater, func(f loop.LaterFile) bool { return f.What == "git" })
	if at < 0 {
		return nil
	}
	return usage(fmt.Sprintf("the run has changed what git runs at a commit: %s", text.Path(r.run.Sum.RunsLater[at].Path)),
		"look at it; then commit without hooks with --no-verify, or drop it")
}

// asked is what the run was told to do, where a person said so.
func (r *reviewed) asked() string {
	var req request.Request
	if json.Unmarshal(r.entry.Flags, &req) != nil {
		return ""
	}
	return cmp.Or(req.Prompt, strings.Join(req.Context, "\n"))
}

// tellSquash says what came of it, and how to take it back.
func (r *reviewed) tellSquash(done *history.Squashed, dryRun bool) {
	out, branch := r.sh.out, cmp.Or(done.Branch, "HEAD")
	for _, c := range done.Commits {
		fmt.Fprintf(out, "%s %s  %s\n", cmp.Or(short(c.Commit), "commit"), c.Subject, text.Plural(c.Files, "file"))
	}
	switch {
	case len(done.Commits) == 0 && !done.FastForward:
		fmt.Fprintf(out, "%s has all of it already.\n", branch)
		return
	case dryRun:
		fmt.Fprintf(out, "%s would get %s. Nothing has changed.\n", branch, r.many(done))
		return
	}
	fmt.Fprintf(out, "%s has %s. Undo with: %s\n", branch, r.many(done), done.Undo)
}

func (r *reviewed) many(done *history.Squashed) string {
	if done.FastForward {
		return "the commits of " + r.entry.Name
	}
	return text.Plural(len(done.Commits), "commit")
}

// short is a commit as people write it.
func short(commit string) string { return commit[:min(len(commit), 9)] }
