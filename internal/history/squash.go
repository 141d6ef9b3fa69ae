package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// reflog is what git's own log says of a branch that was moved.
const reflog = "refrain review"

// Squash says how the work of a run becomes commits.
type Squash struct {
	Onto    string // a branch that is there; empty: the one of the run's work tree
	Branch  string // a branch that is made; empty: none
	NoHooks bool
	DryRun  bool // only look what it would come to
	// AsItIs hands the run's own commits over where that will do: the branch has
	// nothing that they lack, and they have all of the work.
	AsItIs bool
	// Say is the message of a part, and its trailers.
	Say func(Part) (message string, trailers []string)
}

// Squashed is what it came to. Its JSON names are a promise to scripts.
type Squashed struct {
	Branch      string   `json:"branch,omitempty"` // where the commits are; empty: HEAD is on none
	From        string   `json:"from,omitempty"`   // where that was
	To          string   `json:"to,omitempty"`     // and is
	Tree        string   `json:"tree,omitempty"`   // the work tree that is on it
	Commits     []Commit `json:"commits"`
	FastForward bool     `json:"fast_forward,omitempty"` // to the run's own commits
	Undo        string   `json:"undo,omitempty"`         // the command that takes it back
	Kept        string   `json:"kept,omitempty"`         // the checkpoint of the files
}

// Commit is one of the commits.
type Commit struct {
	Commit  string `json:"commit,omitempty"`
	Subject string `json:"subject"`
	Files   int    `json:"files"`
	Part
}

// Squash makes commits of what is left of the run's work, and moves a branch to
// them: all or nothing. Only what attempts changed is in them; what a person wrote
// before, between or after, staged or not, stays as it is. The error is a
// *git.ConflictError where that does not go with what the branch has.
func (h *History) Squash(ctx context.Context, parts []Part, s Squash) (*Squashed, error) {
	lock, err := h.runs.At(h.entry.Tree).Lock(journal.Self("", ""))
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Unlock() }() // the system lets go of it in any case
	mover := h.Tree.Mover()
	way, err := h.wayTo(ctx, mover, s, parts)
	if err != nil {
		return nil, err
	}
	if err := mover.Can(ctx, way.goal); err != nil {
		return nil, err
	}
	done := &Squashed{Branch: way.goal.Branch, From: way.goal.Tip, Tree: way.goal.At, To: way.goal.Tip, Commits: []Commit{}}
	// Asked of all of it at once: one part by itself may undo what a later one did.
	if whole, err := h.holdsAll(ctx, way.base, parts); err != nil {
		return nil, err
	} else if whole {
		if way.goal.New { // and is not made
			done.Branch, done.From, done.To = way.goal.Was, way.goal.From, way.goal.From
		}
		return done, nil
	}
	if s.AsItIs && way.own != "" {
		if whole, err := h.holdsAll(ctx, way.own, parts); err != nil {
			return nil, err
		} else if whole {
			done.To, done.FastForward = way.own, true
		}
	}
	if !done.FastForward {
		if err := h.commitParts(ctx, way.base, parts, s, done); err != nil {
			return nil, err
		}
	}
	if s.DryRun || done.To == way.goal.Tip {
		return done, nil
	}
	err = h.move(ctx, mover, way, done)
	if err != nil && !errors.As(err, new(*HalfMovedError)) {
		return nil, err // no branch has them
	}
	return done, err
}

// way leads from what is there to the commits.
type way struct {
	goal     git.Goal
	base     string // what they are made on
	own      string // the run's own commits that the goal can go to as they are; empty for none
	rewrites bool   // commits of the run's are replaced
}

// wayTo finds it, or says why there is none.
func (h *History) wayTo(ctx context.Context, mover git.Mover, s Squash, parts []Part) (way, error) {
	here, err := mover.Here(ctx)
	if err != nil {
		return way{}, err
	}
	own, err := h.ownCommits(ctx)
	if err != nil {
		return way{}, err
	}
	switch {
	case s.Branch != "":
		w := way{base: here.Tip}
		if own.made || h.entry.Gone {
			w.base = own.first
		}
		w.goal, err = mover.New(ctx, s.Branch)
		if h.entry.Gone { // the one that we stand in has other files
			w.goal.Here, w.goal.At = false, ""
		}
		return w, err
	case s.Onto != "" && (s.Onto != here.Branch || h.entry.Gone):
		goal, err := mover.Branch(ctx, s.Onto)
		w := way{goal: goal, base: goal.Tip}
		if err == nil && own.alone(here.Tip) && !h.entry.Gone {
			var ahead bool
			if ahead, err = mover.Holds(ctx, here.Tip, goal.Tip); ahead {
				w.own = here.Tip
			}
		}
		return w, err
	case h.entry.Gone:
		return way{}, &request.UsageError{What: "the work tree of " + h.entry.Name + " is gone, and its branch may be too", Hint: "say where the commits are to go: --onto BRANCH, or --branch NAME for a new one"}
	case !own.made:
		return way{goal: here, base: here.Tip}, nil
	}
	if replaced, err := h.replaced(ctx, mover, here.Tip, own, parts); err != nil || replaced {
		return way{goal: here, base: here.Tip}, err
	}
	w := way{goal: here, base: own.first, rewrites: true}
	return w, h.mayRewrite(ctx, mover, here, own)
}

// replaced tells whether others stand for the run's own commits already: a branch
// has all of the work and lacks the commits.
func (h *History) replaced(ctx context.Context, mover git.Mover, tip string, own ownCommits, parts []Part) (bool, error) {
	if own.alone(tip) {
		return false, nil
	}
	if there, err := mover.Holds(ctx, tip, own.last); err == nil && there { // else git has thrown them away
		return false, nil
	}
	return h.holdsAll(ctx, tip, parts)
}

// mayRewrite refuses to replace commits that are not the run's alone.
func (h *History) mayRewrite(ctx context.Context, mover git.Mover, here git.Goal, own ownCommits) error {
	const elsewhere = "make the commits on a new branch with --branch NAME, or on one that is there with --onto BRANCH"
	below, err := mover.Holds(ctx, here.Tip, own.first)
	if err != nil {
		return err
	}
	if !own.alone(here.Tip) || !below {
		return &request.UsageError{What: fmt.Sprintf("since %s began, %s has got commits that are not its own, or lost some that are", h.entry.Name, here.Name()), Hint: elsewhere}
	}
	shared, err := mover.Shared(ctx, own.first, here.Tip)
	if err == nil && shared {
		return &request.UsageError{What: fmt.Sprintf("commits of %s were pushed already, and would be replaced", h.entry.Name), Hint: elsewhere}
	}
	return err
}

// holdsAll tells whether a commit has all of the run's work.
func (h *History) holdsAll(ctx context.Context, commit string, parts []Part) (bool, error) {
	apart, err := h.apart(ctx, commit)
	if err != nil {
		return false, err
	}
	defer apart.Remove()
	var all ownEdits
	for _, p := range parts {
		for _, e := range p.Edits {
			all.add(0, e)
		}
	}
	whole := make([]Part, 1)
	all.give(whole)
	changed, err := apart.Apply(ctx, whole[0].Edits)
	if errors.As(err, new(*git.ConflictError)) {
		return false, nil
	}
	return err == nil && !changed, err
}

func (h *History) apart(ctx context.Context, base string) (*git.Apart, error) {
	apart, err := git.ApartAt(ctx, h.Tree, base, filepath.Join(h.entry.Dir, "review"))
	if err == nil {
		apart.Read = h.Kept.Trees().Read
	}
	return apart, err
}

// commitParts makes the commits, apart from everything that anybody sees.
func (h *History) commitParts(ctx context.Context, base string, parts []Part, s Squash, done *Squashed) error {
	apart, err := h.apart(ctx, base)
	if err != nil {
		return err
	}
	defer apart.Remove()
	apart.NoHooks = s.NoHooks
	if !h.entry.Gone && !s.DryRun { // hooks may change files
		kept, err := h.Kept.Checkpoint(ctx)
		if err != nil {
			return err
		}
		done.Kept = kept.ID
	}
	for _, p := range parts {
		changed, err := apart.Apply(ctx, p.Edits)
		if err != nil {
			return err
		}
		if !changed {
			continue // it is there already
		}
		message, trailers := s.Say(p)
		subject, _, _ := strings.Cut(message, "\n")
		c := Commit{Subject: subject, Part: p, Files: len(pathsOf([]Part{p}))}
		if !s.DryRun {
			if c.Commit, err = apart.Commit(ctx, message, trailers); err != nil {
				return err
			}
			done.To = c.Commit
		}
		done.Commits = append(done.Commits, c)
	}
	return nil
}

// move moves the branch, and says how to take that back.
func (h *History) move(ctx context.Context, mover git.Mover, w way, done *Squashed) error {
	g, old := w.goal, w.goal.Tip
	if staged, err := mover.Staged(ctx, g, done.To); err != nil {
		return err
	} else if staged != "" {
		return &request.UsageError{
			What: fmt.Sprintf("%s is staged otherwise than it is in the work tree, and the run has changed it too", text.Path(staged)),
			Hint: fmt.Sprintf("no commit was made; commit what is staged, or take it back with \"git restore --staged %s\"", quoted(staged)),
		}
	}
	if w.rewrites {
		ref, err := mover.KeepRef(ctx, h.entry.Name, old)
		if err != nil {
			return err
		}
		old = ref
	}
	done.Undo = h.undo(g, old)
	if !g.Here {
		return mover.Move(ctx, g, done.To, reflog)
	}
	note := moving{From: g.Tip, To: done.To}
	if g.New {
		note = moving{New: g.Branch, From: g.From, To: done.To}
	}
	if err := h.begin(unfinished{Move: &note, Undo: done.Undo}); err != nil {
		return err
	}
	if err := mover.Move(ctx, g, done.To, reflog); err != nil {
		if errors.As(err, new(*git.RefusedError)) { // else nobody knows how far it came
			h.done()
		}
		return err
	}
	ctx = context.WithoutCancel(ctx) // what comes is short, and must not be cut in two
	if _, err := h.finishMove(ctx, note); err != nil {
		return &HalfMovedError{Branch: g.Name(), To: done.To, Run: h.entry.Name, Undo: done.Undo, Why: err}
	}
	h.done()
	return nil
}

// HalfMovedError says that a branch was moved, and the index of its work tree was not.
type HalfMovedError struct {
	Branch, To string
	Run, Undo  string
	Why        error // not to be unwrapped: to who asks, nothing else has failed
}

func (e *HalfMovedError) Error() string {
	return fmt.Sprintf("%s has moved to %s, its index has not: %v", e.Branch, e.To, e.Why)
}

// Hint says what to do.
func (e *HalfMovedError) Hint() string {
	return fmt.Sprintf("mend that, then end it with \"refrain review %s --finish\"; or take it back with: %s", e.Run, e.Undo)
}

// undo is the command that takes a move back. Files stay as they are, but for those
// of another work tree, which came with the commits.
func (h *History) undo(g git.Goal, old string) string {
	run, at := "git ", cmp.Or(g.At, h.runs.Tree)
	if g.At != "" && (!g.Here || h.entry.Tree != h.runs.Tree) || !standsIn(at) {
		run += "-C " + quoted(at) + " "
	}
	branch := quoted(g.Branch)
	switch {
	case g.New && !g.Here:
		return run + "branch -D " + branch
	case g.New:
		back := "symbolic-ref HEAD " + quoted("refs/heads/"+g.Was)
		if g.Was == "" {
			back = "update-ref --no-deref HEAD " + g.From
		}
		if g.From != "" { // the index goes back too, with what is staged, else it lacks what only the old branch has
			back += fmt.Sprintf(" && %sread-tree -i -m %s %s", run, branch, g.From)
		}
		return fmt.Sprintf("%s%s && %sbranch -D %s", run, back, run, branch)
	case old == "":
		return run + "update-ref -d HEAD"
	case g.Here && strings.HasPrefix(old, "refs/"): // commits of the run's, which may hold what was somebody's own
		return run + "reset -q " + old
	case g.Here:
		return run + "reset --soft " + old
	case g.At == "":
		return fmt.Sprintf("%sbranch -f %s %s", run, branch, old)
	}
	return run + "reset --keep " + old
}

// standsIn tells whether the current folder is a folder or below it: then git needs
// no word about where.
func standsIn(folder string) bool {
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, here)
	return err == nil && filepath.IsLocal(rel)
}

// quoted is a word as a shell wants it.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func pathsOf(parts []Part) []string {
	var list []string
	seen := map[string]bool{}
	for _, p := range parts {
		for _, e := range p.Edits {
			if !seen[e.Path] {
				seen[e.Path] = true
				list = append(list, e.Path)
			}
		}
	}
	return list
}

// Whole is all parts as one.
func Whole(parts []Part) Part {
	var whole Part
	for _, p := range parts {
		whole.Tasks = append(whole.Tasks, p.Tasks...)
		whole.Iterations = append(whole.Iterations, p.Iterations...)
		whole.Edits = append(whole.Edits, p.Edits...)
		whole.Summary = cmp.Or(p.Summary, whole.Summary)
	}
	return whole
}
