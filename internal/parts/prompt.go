package parts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/prompt"
)

// Prompt builds what each agent is told.
type Prompt struct {
	*engine.Kit
	Builder *prompt.Builder
	Files   *git.Tree
	Plan    *Plan
	Budget  int // in tokens; a larger prompt is warned about
	// Handoff is how much, in bytes, an agent with a fresh session is told of the
	// one before.
	Handoff int

	feedback []string // of gates, for the next agent; each attempt's folder has it
	draft    draft
}

// draft is the next prompt while a person is asked about it, until the agent has
// it: it lives in one step.
type draft struct {
	text   string // as it was laid out
	notes  int    // how many notes of people's are in it
	edited string // as they left it; empty: unchanged
}

// nextPrompt is the file in which the next prompt lies while a person is asked.
// What they change in it is what the agent gets.
const nextPrompt = "next-prompt.md"

// Build writes the prompt of an attempt.
func (p *Prompt) Build(ctx context.Context, a *engine.Attempt) {
	if p.Builder == nil {
		return
	}
	if len(p.Builder.Commands) > 0 {
		a.Touched = true
	}
	s := p.State()
	built, err := p.build(ctx, s, a.Worker)
	if err != nil {
		a.Failure = &loop.AgentError{Kind: loop.ErrPrompt, Message: err.Error()}
		return
	}
	if a.Prompt = built.Text; p.draft.edited != "" { // by a person, and the notes since are not in it
		a.Prompt = strings.TrimRight(p.draft.edited, "\n") + "\n\n" + prompt.Notes(s.Notes[min(p.draft.notes, len(s.Notes)):])
	}
	a.Dir.WritePrompt(a.Prompt)
	p.draft = draft{}
	if p.Budget > 0 && built.Tokens > p.Budget {
		p.Warn("prompt budget", loop.Warning{
			Text: fmt.Sprintf("Prompt exceeds token budget: %d > %d", built.Tokens, p.Budget),
			Hint: "shorten the prompt or raise budget.prompt_tokens; its largest parts are " + largest(built),
		})
	}
}

func (p *Prompt) build(ctx context.Context, s loop.State, w engine.Worker) (prompt.Prompt, error) {
	if len(p.Builder.Commands) > 0 {
		p.Journal.Settle()
	}
	p.Builder.Last = p.Last()
	p.Builder.Handoff = p.handoff(ctx, s, w)
	return p.Builder.Build(ctx, s, s.Next(), p.feedback)
}

// largest names what fills a prompt.
func largest(p prompt.Prompt) string {
	var list []string
	for _, part := range p.Largest(3) {
		list = append(list, fmt.Sprintf("%s (%d)", part.Name, part.Tokens))
	}
	return strings.Join(list, ", ")
}

// maxCommits is how many commits a fresh session is told of.
const maxCommits = 5

// handoff is what an agent that begins a session, where sessions are kept, is
// told of those before; nil when there is nothing to hand over.
func (p *Prompt) handoff(ctx context.Context, s loop.State, w engine.Worker) *prompt.Handoff {
	if !s.Counting.Keep || s.SessionOf(w.Name) != "" || s.Totals.Iterations == 0 {
		return nil
	}
	h := &prompt.Handoff{State: s, MaxBytes: p.Handoff, Open: p.Plan.open()}
	for _, t := range s.Seen {
		if t.Failing {
			h.Failing = append(h.Failing, t.Name)
		}
	}
	if last := p.Last(); last != nil && last.Changes != nil {
		for _, path := range last.Changes.Paths {
			h.Files = append(h.Files, path.Path)
		}
	}
	commits, err := p.Files.Since(ctx, "")
	if err != nil {
		p.Warn("commits", loop.Warning{Text: "cannot tell a fresh session the last commits: " + err.Error()})
	}
	h.Commits = commits[:min(len(commits), maxCommits)]
	return h
}

// maxEdited is more than a person writes into a prompt.
const maxEdited = 16 << 20

// LayOut writes the next prompt where a person can change it.
func (p *Prompt) LayOut(ctx context.Context) string {
	s := p.State()
	built, err := p.build(ctx, s, p.Worker())
	if err != nil {
		return "" // the attempt says it
	}
	file := filepath.Join(p.Journal.Dir(), nextPrompt)
	if err := files.Replace(file, []byte(built.Text), 0o600, files.NoSync); err != nil {
		p.Warn("next prompt", loop.Warning{Text: "the next prompt cannot be shown: " + err.Error()})
		return ""
	}
	p.draft = draft{text: built.Text, notes: len(s.Notes)}
	return file
}

// TakeUp takes in what a person has made of the next prompt.
func (p *Prompt) TakeUp(file string) {
	p.draft.edited = ""
	if file == "" {
		return
	}
	defer os.Remove(file)
	b, err := files.ReadFile(context.Background(), file, maxEdited)
	if err == nil && string(b) != p.draft.text && strings.TrimSpace(string(b)) != "" {
		p.draft.edited = string(b)
	}
}

// HandOn hands on what the next agent should know of the gates. An attempt that
// no gate looked at leaves what was there before.
func (p *Prompt) HandOn(_ context.Context, a *engine.Attempt, o *loop.Outcome, _ loop.Verdict) {
	p.draft = draft{} // it was for this iteration
	if s := p.State(); s.Counts(*o) && o.Result != loop.Skipped && (len(o.Gates) > 0 || len(a.Feedback) > 0 || o.Result == loop.OK) {
		p.feedback = a.Feedback
	}
	a.Dir.WriteFeedback(p.feedback)
}

// Recall finds again what an earlier runner had to tell the next agent.
func (p *Prompt) Recall(dir *journal.Attempt) { p.feedback = dir.ReadFeedback() }
