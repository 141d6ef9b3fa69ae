package carry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Push takes a run away to a remote, for anybody to fetch. It goes as it would go on
// here: with the work tree, the branch and the commit as they are now. From then on it
// does not go on here; where that cannot be done, all is as it was.
func (p Place) Push(ctx context.Context, name, meant string) (*Moved, error) {
	lock, err := p.Store.Lock(journal.Self("", ""))
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	entry, err := p.Store.Load(name)
	if err != nil {
		return nil, err
	}
	if err := mayLeave(p.Store, entry); err != nil {
		return nil, err
	}
	note, err := entry.Carried()
	if err != nil {
		return nil, err
	}
	if note != nil && note.Half {
		return nil, entry.Here()
	}
	tree, err := p.tree(ctx, entry.Tree)
	if err != nil {
		return nil, err
	}
	r, err := openRemote(ctx, tree, p.Store.Dir, meant)
	if err != nil {
		return nil, err
	}
	d := departure{place: p, remote: r, tree: tree, entry: entry, ref: Prefix + entry.ID, was: note}
	return d.leave(ctx, meant)
}

// mayLeave refuses a run that is not complete.
func mayLeave(s journal.Store, e journal.Entry) error {
	switch status := s.Status(e); {
	case e.Tampered != "":
		return &journal.TamperedError{What: e.Tampered}
	case status == loop.Crashed:
		return &UnwillingError{e.Name + " has crashed, and only a resume can mend it", "go on with it, and park it: refrain resume " + e.Name + "; refrain park " + e.Name}
	case !status.Ended():
		return &UnwillingError{e.Name + " is alive", "park it first: refrain park " + e.Name}
	}
	return nil
}

func noCheckpoints(run string) error {
	return &UnwillingError{run + " has no checkpoints that could travel", "runs in a git work tree have them, unless git.checkpoint is false"}
}

// departure is a run on its way out.
type departure struct {
	place  Place
	remote *remote
	tree   *git.Tree
	entry  journal.Entry
	ref    string
	was    *journal.Carried // nil: it has never travelled

	more  []string // folders of objects that the checkpoints are in
	stays []Stays  // of the work tree
}

// leave makes a state of the run, and moves the ref to it. That the run is away is noted
// before, so that nobody who is killed in between goes on with what somebody else has.
func (d *departure) leave(ctx context.Context, meant string) (*Moved, error) {
	before, prior, err := d.before(ctx, meant)
	if err != nil {
		return nil, err
	}
	d.place.stage("looking at the work tree")
	s, since, err := d.state(ctx, prior)
	if err != nil {
		return nil, err
	}
	making := filepath.Join(d.remote.repo, "leaving", d.entry.ID)
	defer os.RemoveAll(making)
	if err := errors.Join(os.RemoveAll(making), os.MkdirAll(filepath.Join(making, "pack"), 0o700)); err != nil {
		return nil, err
	}
	sha, err := d.remote.commit(ctx, s, before, making, d.more)
	if err != nil {
		return nil, err
	}
	d.more = append(d.more, making)
	note := journal.Carried{
		Remote: meant, Ref: d.ref, Name: s.card.Name, At: sha, From: before, Leg: s.card.Leg, Branch: s.card.Branch, Tree: s.card.Tree, Away: true, Since: time.Now().UTC(),
	}
	if err := note.Write(d.entry.Dir); err != nil {
		return nil, err
	}
	d.place.stage("pushing to " + d.remote.name)
	if err := d.remote.push(ctx, d.entry.Name, move{d.ref, before, sha}, nil, d.more); err != nil {
		var taken *TakenError
		var unsure *UnsureError
		switch late := d.was; {
		case errors.As(err, &unsure): // it may be there, and somebody else's by now
			return nil, err
		case !errors.As(err, &taken): // it is still ours
			return nil, errors.Join(err, d.stay())
		case late == nil || !late.Away || taken.Now != late.At:
			return nil, err
		}
		// It is our own push of before: we were killed, and git was not.
		note, sha = *d.was, d.was.At
	}
	note.There = true
	if err := note.Write(d.entry.Dir); err != nil {
		return nil, err
	}
	return &Moved{
		Run: d.entry.Name, ID: d.entry.ID, There: s.card.Name, Remote: d.remote.name, At: sha, Leg: s.card.Leg, Branch: s.card.Branch, Commit: s.card.Head, Cut: s.card.Cut, Since: since, Stays: d.stays,
	}, nil
}

// stay takes the note back.
func (d *departure) stay() error {
	if d.was == nil {
		return journal.DropCarried(d.entry.Dir)
	}
	return d.was.Write(d.entry.Dir)
}

// before is what the ref is to be at before, and the card of that.
func (d *departure) before(ctx context.Context, meant string) (at string, prior *Card, err error) {
	now, err := d.remote.look(ctx, d.ref)
	if err != nil {
		return "", nil, err
	}
	if d.was != nil && d.was.Away && d.was.Remote != meant { // there, anybody may have it
		return "", nil, d.entry.Here()
	}
	known := ""
	if d.was != nil && d.was.Remote == meant {
		known = d.was.At
		if d.was.Away && now == d.was.From && !d.was.There { // a push of ours that never came through
			known = d.was.From
		}
	}
	if now != known {
		return "", nil, &TakenError{Run: d.entry.Name, Remote: d.remote.name, By: d.remote.cardOf(ctx, d.ref, d.entry.ID)}
	}
	if d.was != nil && d.was.Away && now == d.was.At {
		d.was.There = true
		if err := d.stay(); err != nil {
			return "", nil, err
		}
		return "", nil, &UnwillingError{d.entry.Name + " has been carried to " + d.remote.name + " already", "fetch it where it is to go on: refrain carry fetch " + d.was.Name + " " + d.remote.name + " --trust"}
	}
	if known == "" {
		return "", nil, nil
	}
	if prior = d.remote.cardOf(ctx, d.ref, d.entry.ID); prior == nil {
		return "", nil, &ForeignError{What: "its card cannot be read"}
	}
	return known, prior, nil
}

// state is the run as it stands, and how many files of the work tree have changed since
// it was left. Where a secret keeps it from leaving, the run has not kept that.
func (d *departure) state(ctx context.Context, prior *Card) (s *state, since int, err error) {
	h, err := history.Open(ctx, d.place.Store, d.entry)
	if err != nil {
		return nil, 0, err
	}
	border := checkpoint.Border{Store: h.Kept}
	kept, err := border.Last(ctx)
	if err != nil {
		return nil, 0, d.bare(err)
	}
	defer func() {
		var secret *SecretError
		if errors.As(err, &secret) && kept != "" {
			err = cmp.Or(border.Forget(kept), err)
		}
	}()
	made, err := h.Kept.Checkpoint(ctx)
	if err != nil {
		return nil, 0, err
	}
	d.more, d.stays = border.Objects(), staying(made)
	card := Card{Run: d.entry.ID, Name: d.entry.Name, State: d.place.Store.Status(d.entry), Leg: 1, Checkpoint: made.ID, Tree: made.Tree, Prefix: d.tree.Prefix()}
	if prior != nil {
		card.Name, card.Leg, card.Base, card.Published = prior.Name, prior.Leg, prior.Base, prior.Published
	}
	if card.Head, err = d.tree.Head(ctx); err != nil {
		return nil, 0, err
	}
	if card.Branch, err = d.tree.Branch(ctx); err != nil {
		return nil, 0, err
	}
	if card.Head == "" {
		return nil, 0, &UnwillingError{"there is no commit here, and a run travels on top of one", "make one: git commit"}
	}
	if own := d.entry.Branch(); own != "" && own != card.Branch {
		return nil, 0, &UnwillingError{d.entry.Name + " works on the branch " + own, "go back to it: git switch " + own}
	}
	if last := d.entry.State.LastCheckpoint; last != "" && last != made.ID {
		if was, err := h.Kept.Load(ctx, last); err == nil {
			changed, err := d.remote.run(ctx, nil, d.more, "diff-tree", "-r", "-z", "--name-only", was.Tree, made.Tree, "--", ":(literal)"+card.Prefix)
			if err != nil {
				return nil, 0, fmt.Errorf("compare the work tree with what the run left: %w", err)
			}
			since = strings.Count(changed, "\x00")
		}
	}
	l, err := journal.Border{Store: d.place.Store}.Pack(d.entry.Name)
	if err != nil {
		return nil, 0, err
	}
	l.Journal, l.Name = journal.Renamed(l.Journal, l.Name, card.Name), card.Name
	card.sign(Bid{}, false)
	journal, err := follow(prior, l.Journal)
	if err != nil {
		return nil, 0, err
	}
	journal.note(&card)
	if err := d.remote.noSecrets(ctx, card, span{kept: kept}, d.place.Hide, d.more); err != nil {
		return nil, 0, err
	}
	s, err = lay(card, l, d.entry.Dir, d.place.Hide)
	return s, since, err
}

// bare is an error that a run has no checkpoints, as a person is to hear it.
func (d *departure) bare(err error) error {
	var none *checkpoint.NoGitError
	if !errors.As(err, &none) {
		return err
	}
	return noCheckpoints(d.entry.Name)
}

// staying is what of a work tree no checkpoint holds.
func staying(c checkpoint.Checkpoint) (list []Stays) {
	for _, one := range c.Skipped {
		list = append(list, Stays{one.Path, one.Why})
	}
	for _, path := range c.Inner {
		list = append(list, Stays{path, "a repository of its own"})
	}
	return list
}
