package parts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/glob"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/later"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Tree is the work tree before and after each attempt, and what changed between.
type Tree struct {
	*engine.Kit
	Files    *git.Tree
	Store    *checkpoint.Store // keeps checkpoints; nil: none are made
	Only     glob.Patterns     // the files whose change is progress; none is all
	Progress []loop.ProgressBy // the signals that count
	Later    LaterSettings
	Glance   bool                     // an attempt is looked at where somebody has written, unless it may be a claim
	MayClaim func(*loop.Outcome) bool // what an agent has left is judged as done, if the gates say so

	base, after *snapshot     // of the attempt under way; nil when it is not known
	changes     *loop.Changes // between the two; nil when they are not known
	half        bool          // the last checkpoint that was written down was a glance
	unsaved     func()        // saves that nothing changed between the two, where that is not saved

	// What saves a look. Without it there is one more.
	known     bool                   // who leaves the run to another runner knows of this part
	untouched *snapshot              // the tree now, when nothing ran since it was looked at
	first     *checkpoint.Checkpoint // before the first iteration
	head      string                 // the user's last commit, as far as it was seen
	later     *later.Finder          // nil before the first question
}

// snapshot is the work tree at one moment: a checkpoint, or, where none are made,
// a fingerprint, which tells that something changed but not what.
type snapshot struct {
	checkpoint  *checkpoint.Checkpoint
	glanced     bool // not everything was looked at
	fingerprint *git.Fingerprint
}

// String is the snapshot as the journal has it.
func (s *snapshot) String() string {
	switch {
	case s == nil:
		return ""
	case s.checkpoint != nil:
		return s.checkpoint.ID
	}
	return s.fingerprint.String()
}

// Observe hears that people have their turn: they work while the loop waits, is
// paused, or asks.
func (t *Tree) Observe(ev loop.Event) {
	switch ev.Payload.(type) {
	case *loop.RunWaiting, *loop.RunPaused, *loop.RunAsked:
		t.untouched = nil
	}
}

// TakeBase takes in the tree as the attempt finds it: as the last one left it, if
// nothing lay between that could have changed it.
func (t *Tree) TakeBase(ctx context.Context, a *engine.Attempt) {
	if t.Glance && !t.known {
		t.known = true
		t.BeforeLeaving(t.seeRest)
	}
	t.base, t.after, t.changes, t.unsaved = t.untouched, nil, nil, nil
	if t.base == nil || a.Touched {
		t.base = t.lookAt(ctx, t.Glance)
		t.note(t.base, true)
	}
	t.untouched = nil // the agent works now
	a.Base = t.base.String()
}

// TakeAfter takes in the tree as the agent left it. Where that was cut short, the
// next runner has the time.
func (t *Tree) TakeAfter(ctx context.Context, a *engine.Attempt) {
	t.after = t.lookAt(ctx, t.Glance)
	t.note(t.after, false)
	t.untouched, a.Touched = t.after, false
	if t.after == nil && a.Failure == nil && t.Desk.StopsNow() {
		a.CutShort = true
	}
}

// LookAgain looks at everything where what the agent left may be judged as done, and so
// far was only glanced at: nothing is proven of files that nobody has looked at.
func (t *Tree) LookAgain(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if t.after == nil || !t.after.glanced || !t.MayClaim(o) {
		return
	}
	seen := t.look(ctx)
	if seen == nil && a.Failure == nil && t.Desk.StopsNow() {
		a.CutShort = true // what was glanced at stays for the next runner, who has the time
		return
	}
	t.after, t.untouched = seen, seen
	t.note(seen, false) // a next runner would look again
}

// seeRest looks at everything where the last checkpoint was a glance: what another runner
// goes on with, or a person is left with, is all that there is.
func (t *Tree) seeRest(ctx context.Context) {
	if !t.half {
		return
	}
	if s := t.look(ctx); s != nil {
		t.untouched = s
		t.note(s, false)
	}
}

// look takes in the whole tree as it is now.
func (t *Tree) look(ctx context.Context) *snapshot { return t.lookAt(ctx, false) }

// lookAt takes in the tree as it is now, and with a glance only what was written to;
// nil, with one warning, when it can't be seen.
func (t *Tree) lookAt(ctx context.Context, glance bool) *snapshot {
	ctx, done := t.ForGit(ctx)
	defer done()
	s, err := t.see(ctx, glance)
	if git.Killed(err) && ctx.Err() == nil {
		s, err = t.see(ctx, false)
	}
	if err != nil && ctx.Err() != nil {
		return nil // it was told to end
	}
	if err != nil {
		t.Warn("tree", loop.Warning{
			Text: "cannot see what changed in the work tree: " + err.Error(),
			Hint: "progress is not counted and nothing is kept while this lasts",
			Key:  loop.UnseenKey,
		})
		return nil
	}
	if s.checkpoint != nil {
		t.sawHead(s.checkpoint.Head)
	}
	return s
}

func (t *Tree) see(ctx context.Context, glance bool) (*snapshot, error) {
	if t.Store == nil {
		p, err := git.FingerprintOf(ctx, t.Files)
		return &snapshot{fingerprint: &p}, err
	}
	var c checkpoint.Checkpoint
	var err error
	all := true
	if glance {
		c, all, err = t.Store.Glance(ctx)
	} else {
		c, err = t.Store.Checkpoint(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, note := range c.Notes {
		t.Warn("checkpoint "+note, loop.Warning{Text: note})
	}
	t.tellSkipped(c.Skipped)
	return &snapshot{checkpoint: &c, glanced: !all}, nil
}

// maxSkipped is how many files that are not kept are told of one by one.
const maxSkipped = 10

func (t *Tree) tellSkipped(files []checkpoint.Skipped) {
	for _, file := range files[:min(len(files), maxSkipped)] {
		t.Warn("skipped "+file.Path, loop.Warning{Text: file.Path + " is not in the checkpoints, so a rollback leaves it as it is: " + file.Why})
	}
	if more := len(files) - maxSkipped; more > 0 {
		t.Warn("skipped", loop.Warning{Text: fmt.Sprintf("%d more files are not in the checkpoints", more)})
	}
}

// note writes down that a checkpoint was made.
func (t *Tree) note(s *snapshot, base bool) {
	if s != nil && s.checkpoint != nil {
		t.Record(&loop.CheckpointMade{Checkpoint: s.checkpoint.ID, Tree: s.checkpoint.Tree, Base: base, Glance: s.glanced})
		t.half = s.glanced
		if !base { // what gates write is not to be taken for the agent's
			t.Journal.Owe()
		}
	}
}

// sawHead remembers the user's last commit.
func (t *Tree) sawHead(commit string) {
	if commit != "" {
		t.head = commit
	}
}

// LastCommit is the user's last commit, as far as it was seen.
func (t *Tree) LastCommit(ctx context.Context) string {
	if here := t.State().LastCheckpoint; t.head == "" && here != "" && t.Store != nil {
		if c, err := t.Store.Load(ctx, here); err == nil {
			t.head = c.Head
		}
	}
	return t.head
}

// Compare fills in what an attempt did to the work tree, and the signals of
// progress in it.
func (t *Tree) Compare(ctx context.Context, a *engine.Attempt, o *loop.Outcome) {
	if t.after != nil && t.after.checkpoint != nil {
		o.Tree, o.Checkpoint = t.after.checkpoint.Tree, t.after.checkpoint.ID
	}
	if a.Compared = t.base != nil && t.after != nil; !a.Compared {
		return
	}
	if t.base.checkpoint == nil || t.after.checkpoint == nil {
		if t.base.fingerprint != nil && t.after.fingerprint != nil {
			a.Signals = append(a.Signals, t.base.fingerprint.Signals(*t.after.fingerprint)...)
		}
		return
	}
	changes, err := t.Store.Changes(ctx, *t.base.checkpoint, *t.after.checkpoint)
	if err != nil {
		t.Warn("changes", loop.Warning{Text: "cannot tell what changed in the work tree: " + err.Error(), Hint: "progress is not counted while this lasts"})
		return
	}
	t.changes = &changes
	o.Changes = shortChanges(changes)
	o.Net = t.net(ctx, *t.after.checkpoint, changes)
	made := journal.AttemptChanges{Base: t.base.checkpoint.ID, Checkpoint: t.after.checkpoint.ID, Changes: changes}
	if t.unsaved = func() { a.Dir.WriteChanges(made) }; made.Base != made.Checkpoint {
		t.unsaved()
		t.unsaved = nil
	}
	a.Signals = append(a.Signals, t.signals(changes)...)
}

// signals tells in what changes show progress. Where only some files count, the
// others do not.
func (t *Tree) signals(c loop.Changes) []loop.ProgressBy {
	list := c.Signals()
	counts := func(p loop.PathChange) bool { return t.Only.Match(p.Path) || p.From != "" && t.Only.Match(p.From) }
	if len(t.Only) > 0 && !slices.ContainsFunc(c.Paths, counts) {
		list = slices.DeleteFunc(list, func(s loop.ProgressBy) bool { return s == loop.InFiles })
	}
	return list
}

// maxPaths is how many paths the journal has of one attempt. The file of its
// changes has them all.
const maxPaths = 100

func shortChanges(c loop.Changes) *loop.Changes {
	if len(c.Paths) > maxPaths {
		c.Paths = c.Paths[:maxPaths]
	}
	return &c
}

// net is what the run has come to so far: the tree against that before the first
// iteration. An attempt that changed nothing leaves it as it was.
func (t *Tree) net(ctx context.Context, now checkpoint.Checkpoint, changes loop.Changes) *loop.Changes {
	s := t.State()
	first := t.First(ctx)
	if first == nil || s.Net != nil && len(changes.Paths) == 0 {
		return s.Net
	}
	net, err := t.Store.Net(ctx, *first, now)
	if err != nil {
		return nil // the sums of the iterations have to do
	}
	return &net
}

// CountProgress keeps the signals that count.
func (t *Tree) CountProgress(_ context.Context, a *engine.Attempt, o *loop.Outcome) {
	if s := t.State(); s.Best != nil && s.Better(o.Tests) && !o.Claim.Doubted() {
		a.Signals = append(a.Signals, loop.InTests)
	}
	for _, signal := range a.Signals {
		if slices.Contains(t.Progress, signal) {
			o.ProgressBy = append(o.ProgressBy, signal)
		}
	}
	if made := len(o.ProgressBy) > 0; made || a.Compared {
		o.Progress = &made
	}
}

// Recover brings the tree to where the agent left it. A checkpoint that was
// made then is what it did, whatever gates have written since; without one, what
// is there now has to do. A rollback that the verdict had begun is taken back,
// for the verdict is found anew.
func (t *Tree) Recover(ctx context.Context, a *engine.Attempt) error {
	t.base, t.changes, t.unsaved = t.snapshotOf(ctx, a.Left.Base), nil, nil
	if a.Left.After == "" {
		t.TakeAfter(ctx, a)
		a.CutShort = false
		return nil
	}
	if t.after = t.snapshotOf(ctx, a.Left.After); t.after != nil {
		t.after.glanced, t.half = a.Left.Glanced, a.Left.Glanced
	}
	if t.after == nil || !a.Left.Restored {
		return nil
	}
	kept, changed, err := t.Store.Restore(ctx, *t.after.checkpoint)
	if err != nil {
		return fmt.Errorf("bring iteration %d back to be judged: %w", a.Iter, err)
	}
	if len(changed.Paths) > 0 {
		t.Record(&loop.Warning{
			Text: fmt.Sprintf("iteration %d is brought back to be judged: %d files are as its agent left them", a.Iter, len(changed.Paths)),
			Hint: fmt.Sprintf("what was there is kept: refrain rollback %s/%s", t.Journal.Meta().Name, kept.ID),
		})
	}
	return nil
}

// snapshotOf finds what String wrote; nil when there is nothing to find.
func (t *Tree) snapshotOf(ctx context.Context, text string) *snapshot {
	switch {
	case text == "":
		return nil
	case strings.Contains(text, ":"):
		return &snapshot{fingerprint: git.ParseFingerprint(text)}
	case t.Store == nil:
		return nil
	}
	c, err := t.Store.Load(ctx, text)
	if err != nil {
		t.Warn("checkpoint", loop.Warning{Text: "cannot read a checkpoint again: " + err.Error()})
		return nil
	}
	return &snapshot{checkpoint: &c}
}

// Restore puts the work tree back as it was at its best, when the verdict says
// so. Where no agent had touched that, it is what the attempt found: people and
// hooks may have added to it. What was there stays in its checkpoint.
func (t *Tree) Restore(ctx context.Context, a *engine.Attempt, o *loop.Outcome, v loop.Verdict) {
	if a.Touched {
		t.untouched = nil
	}
	if v.Restore == nil || t.Store == nil {
		if v.Action == loop.Wait || t.Desk.Pausing() || t.Desk.Parking() { // people have their turn, or another runner
			t.seeRest(ctx)
		}
		return
	}
	ctx, done := t.ForGit(ctx)
	defer done()
	before := t.State()
	high := before.BestTree
	best, err := t.Store.Load(ctx, high.Checkpoint)
	if a.OnBest && t.base != nil && t.base.checkpoint != nil {
		best = *t.base.checkpoint
	}
	t.untouched = nil
	if err == nil {
		// Said before it is done: a runner that dies in between finds it, and
		// does not take a tree that is half put back for the agent's work.
		t.Record(&loop.CheckpointRestored{
			Checkpoint: best.ID, Iteration: &high.Iteration, Kept: o.Checkpoint, Why: before.Worse(*o), Later: t.runsLater(ctx, &best).Until(high.Iteration),
		})
		t.Journal.Owe()
		t.Journal.SettleAll()
		_, _, err = t.Store.Restore(ctx, best)
	}
	t.half = t.half && err != nil // it looks at everything first
	if err != nil {
		t.Record(&loop.Warning{
			Text: fmt.Sprintf("could not undo iteration %d: %v", a.Iter, err),
			Hint: fmt.Sprintf("undo it with: refrain rollback %s/%d", t.Journal.Meta().Name, high.Iteration),
		})
	}
}

// First is the checkpoint before the first iteration; nil when there is none.
func (t *Tree) First(ctx context.Context) *checkpoint.Checkpoint {
	if t.first == nil && t.Store != nil {
		if first := t.snapshotOf(ctx, t.State().FirstCheckpoint); first != nil {
			t.first = first.checkpoint
		}
	}
	return t.first
}

// After is the checkpoint after the agent; the zero one when there is none.
func (t *Tree) After() checkpoint.Checkpoint {
	if t.after == nil || t.after.checkpoint == nil {
		return checkpoint.Checkpoint{}
	}
	return *t.after.checkpoint
}

// Keep makes a checkpoint of the tree as it is now; nil when none can be made.
// Before the first iteration it is the base of that.
func (t *Tree) Keep(ctx context.Context, base bool) *checkpoint.Checkpoint {
	s := t.look(ctx)
	if s == nil {
		return nil
	}
	t.note(s, base)
	return s.checkpoint
}

// Look is the tree as it is now, as a checkpoint that is not written down; nil
// when it can't be seen.
func (t *Tree) Look(ctx context.Context) *checkpoint.Checkpoint {
	if s := t.look(ctx); s != nil {
		return s.checkpoint
	}
	return nil
}

// Became says that the attempt left another tree than was thought: something
// changed it after the agent.
func (t *Tree) Became(c *checkpoint.Checkpoint) {
	if t.unsaved != nil { // readers would take the tree as it is left for the one that was found
		t.unsaved()
		t.unsaved = nil
	}
	t.after = &snapshot{checkpoint: c}
	t.note(t.after, false)
}
