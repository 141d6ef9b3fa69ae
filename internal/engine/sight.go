package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// sight is the work tree at one moment: a checkpoint, or, where none are made,
// a print, which tells that something changed but not what.
type sight struct {
	kept  *checkpoint.Checkpoint
	print *checkpoint.Fingerprint
}

// String is the sight as the journal has it.
func (s *sight) String() string {
	switch {
	case s == nil:
		return ""
	case s.kept != nil:
		return s.kept.ID
	}
	return s.print.String()
}

// look takes in the tree as it is now; nil, with one warning a run, when it
// can't be seen.
func (e *Engine) look(ctx context.Context) *sight {
	ctx, done := e.hurrying(ctx)
	defer done()
	s, err := e.see(ctx)
	if git.Killed(err) && ctx.Err() == nil {
		s, err = e.see(ctx)
	}
	if err != nil && ctx.Err() != nil {
		return nil // it was told to end
	}
	if err != nil {
		e.warn("tree", loop.Warning{
			Text: "cannot see what changed in the work tree: " + err.Error(),
			Hint: "progress is not counted and nothing is kept while this lasts",
			Key:  loop.UnseenKey,
		})
		return nil
	}
	e.seen = s
	return s
}

func (e *Engine) see(ctx context.Context) (*sight, error) {
	if e.Store == nil {
		p, err := checkpoint.FingerprintOf(ctx, e.Tree)
		return &sight{print: &p}, err
	}
	c, err := e.Store.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	for _, note := range c.Notes {
		e.warn("checkpoint "+note, loop.Warning{Text: note})
	}
	e.tellSkipped(c.Skipped)
	return &sight{kept: &c}, nil
}

// mostSkipped is how many files that are not kept are told of one by one.
const mostSkipped = 10

func (e *Engine) tellSkipped(files []checkpoint.Skipped) {
	for _, file := range files[:min(len(files), mostSkipped)] {
		e.warn("skipped "+file.Path, loop.Warning{Text: file.Path + " is not in the checkpoints, so a rollback leaves it as it is: " + file.Why})
	}
	if more := len(files) - mostSkipped; more > 0 {
		e.warn("skipped", loop.Warning{Text: fmt.Sprintf("%d more files are not in the checkpoints", more)})
	}
}

// before is the tree as the attempt finds it: as the last one left it, if
// nothing lay between that could have changed it.
func (e *Engine) before(ctx context.Context) *sight {
	if e.untouched != nil {
		return e.untouched
	}
	s := e.look(ctx)
	e.noteCheckpoint(s, true)
	return s
}

// after is the tree as the agent left it.
func (e *Engine) after(ctx context.Context) *sight {
	s := e.look(ctx)
	e.noteCheckpoint(s, false)
	e.untouched = s
	return s
}

func (e *Engine) noteCheckpoint(s *sight, base bool) {
	if s != nil && s.kept != nil {
		e.record(&loop.CheckpointMade{Checkpoint: s.kept.ID, Tree: s.kept.Tree, Base: base})
	}
}

// sightOf finds what String wrote; nil when there is nothing to find.
func (e *Engine) sightOf(ctx context.Context, text string) *sight {
	switch {
	case text == "":
		return nil
	case strings.Contains(text, ":"):
		return &sight{print: checkpoint.ParseFingerprint(text)}
	case e.Store == nil:
		return nil
	}
	c, err := e.Store.Load(ctx, text)
	if err != nil {
		e.warn("checkpoint", loop.Warning{Text: "cannot read a checkpoint again: " + err.Error()})
		return nil
	}
	return &sight{kept: &c}
}

// compare fills in what an attempt did to the work tree, and gives the signals
// of progress in it.
func (e *Engine) compare(ctx context.Context, a *attempt, o *loop.Outcome) []loop.Signal {
	if a.after != nil && a.after.kept != nil {
		o.Tree, o.Checkpoint = a.after.kept.Tree, a.after.kept.ID
	}
	if a.base == nil || a.after == nil {
		return nil
	}
	if a.base.kept == nil || a.after.kept == nil {
		if a.base.print == nil || a.after.print == nil {
			return nil
		}
		return a.base.print.Signals(*a.after.print)
	}
	changes, err := e.Store.Changes(ctx, *a.base.kept, *a.after.kept)
	if err != nil {
		e.warn("changes", loop.Warning{Text: "cannot tell what changed in the work tree: " + err.Error(), Hint: "progress is not counted while this lasts"})
		return nil
	}
	a.changes = &changes
	o.Changes = brieflyChanged(changes)
	o.Net = e.net(ctx, *a.after.kept, changes)
	a.dir.WriteChanges(journal.Made{Base: a.base.kept.ID, Checkpoint: a.after.kept.ID, Changes: changes})
	return e.signals(changes)
}

// signals tells in what changes show progress. Where only some files count, the
// others do not.
func (e *Engine) signals(c loop.Changes) []loop.Signal {
	list := checkpoint.Signals(c)
	counts := func(p loop.PathChange) bool { return e.Only.Match(p.Path) || p.From != "" && e.Only.Match(p.From) }
	if len(e.Only) > 0 && !slices.ContainsFunc(c.Paths, counts) {
		list = slices.DeleteFunc(list, func(s loop.Signal) bool { return s == loop.InFiles })
	}
	return list
}

// mostPaths is how many paths the journal has of one attempt. The file of its
// changes has them all.
const mostPaths = 100

func brieflyChanged(c loop.Changes) *loop.Changes {
	if len(c.Paths) > mostPaths {
		c.Paths = c.Paths[:mostPaths]
	}
	return &c
}

// net is what the run has come to so far: the tree against that before the first
// iteration. An attempt that changed nothing leaves it as it was.
func (e *Engine) net(ctx context.Context, now checkpoint.Checkpoint, changes loop.Changes) *loop.Changes {
	s := e.snapshot()
	first := e.firstKept(ctx)
	if first == nil || s.Net != nil && len(changes.Paths) == 0 {
		return s.Net
	}
	net, err := e.Store.Net(ctx, *first, now)
	if err != nil {
		return nil // the sums of the iterations have to do
	}
	return &net
}
