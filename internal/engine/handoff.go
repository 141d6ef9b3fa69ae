package engine

import (
	"context"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// lastCommits is how many commits a fresh session is told of.
const lastCommits = 5

// handoff is what an agent that begins a session, where sessions are kept, is
// told of those before; nil when there is nothing to hand over.
func (e *Engine) handoff(ctx context.Context, s loop.State) *prompt.Handoff {
	if !s.Counting.Keep || s.SessionOf(e.worker.Name) != "" || s.Totals.Iterations == 0 {
		return nil
	}
	h := &prompt.Handoff{State: s, MaxBytes: e.Handoff}
	for _, t := range e.tasks {
		if t.Status != plan.Done {
			h.Open = append(h.Open, t.Text)
		}
	}
	for _, t := range s.Seen {
		if t.Failing {
			h.Failing = append(h.Failing, t.Name)
		}
	}
	if last := e.Prompt.Last; last != nil && last.Changes != nil {
		for _, p := range last.Changes.Paths {
			h.Files = append(h.Files, p.Path)
		}
	}
	commits, err := e.Tree.Since(ctx, "")
	if err != nil {
		e.warn("commits", loop.Warning{Text: "cannot tell a fresh session the last commits: " + err.Error()})
	}
	h.Commits = commits[:min(len(commits), lastCommits)]
	return h
}
