package app

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/rehearse"
)

// works is what is known of agents in a work tree.
type works struct {
	runs  journal.Store
	files *git.Tree
}

// noting is exec, with a note for later before an agent starts: in this project one
// has worked, whatever becomes of its runs.
func (w works) noting(exec rehearse.Exec) rehearse.Exec {
	noted := false
	return func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		if s.Role == proc.Agent && !noted {
			if err := (journal.Worked{Dir: w.runs.Dir}).Mark(ctx, w.head(ctx)); err != nil {
				return loop.Exit{}, err
			}
			noted = true
		}
		return exec(ctx, s)
	}
}

// head is the commit that the tree is on; empty: none.
func (w works) head(ctx context.Context) string {
	if w.files == nil || !w.files.Git() {
		return ""
	}
	out, err := w.files.Program().Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "" // there is none yet
	}
	return strings.TrimSpace(string(out))
}

// touched tells whether an agent may have written what lies in the work tree: one has
// worked in the project, in one around it, or in one that it has a commit of. What
// gates run there is its word then, be it ignored by git or long committed, and none
// of them leaves the sandbox.
func (w works) touched(ctx context.Context) bool {
	if worked(ctx, w.runs) {
		return true
	}
	for dir := filepath.Dir(w.runs.Tree); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if runs, err := journal.Open(dir); err != nil || worked(ctx, runs) {
			return true
		}
	}
	return w.descends(ctx)
}

// worked tells whether an agent has worked in a project, or it has a run that cannot
// be read.
func worked(ctx context.Context, runs journal.Store) bool {
	if _, marked := (journal.Worked{Dir: runs.Dir}).Commits(ctx); marked {
		return true
	}
	list, bad, err := runs.List()
	return err != nil || len(bad) > 0 || slices.ContainsFunc(list, hadAgent)
}

// descends tells whether the repository has a commit on which an agent once began,
// wherever that was: a clone of it may have what the agent made of it.
func (w works) descends(ctx context.Context) bool {
	if w.files == nil || !w.files.Git() {
		return false
	}
	all, err := project.All()
	if err != nil {
		return true
	}
	var asked bytes.Buffer
	for _, p := range all {
		commits, _ := journal.Worked{Dir: p.Dir}.Commits(ctx)
		for _, commit := range commits {
			asked.WriteString(commit + "\n")
		}
	}
	if asked.Len() == 0 {
		return false
	}
	out, err := w.files.Program().RunWith(ctx, git.Command{Stdin: asked.Bytes()}, "cat-file", "--batch-check=%(objecttype)")
	return err != nil || slices.Contains(strings.Split(string(out), "\n"), "commit")
}

// hadAgent tells whether an agent was at work in a run, if only for a moment.
func hadAgent(e journal.Entry) bool {
	return e.Last != nil || e.Tampered != "" || e.Unchecked != "" || slices.ContainsFunc(e.Tail, func(e loop.Event) bool {
		_, started := e.Payload.(*loop.AgentStarted)
		return started
	})
}
