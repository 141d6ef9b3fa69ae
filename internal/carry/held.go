package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/redact"
)

// Held is a run that is alive in a work tree, and whose ref is moved on as it goes. It
// is for one caller at a time, but for Look.
//
//	Take ─► Held ─► Keep … Keep ─► Keep, free
//	          └───► whoever finds another value than ours has lost the run: *TakenError
type Held struct {
	place  Place
	want   Want
	remote *remote
	tree   *git.Tree
	ref    string
	making string // a folder for the objects of states

	found Card   // as somebody had left it
	at    string // what the ref is at
	card  Card   // and what that says
	doubt *put   // a push of ours that may have come through

	live *live // nil: it has to be read again

	branchAt string  // what the branch was at when the run was taken; empty: there was none
	theirs   *string // what others have brought the branch to, where nothing is lost by moving it on; nil: nothing
}

// put is a state as it was pushed.
type put struct {
	at   string
	card Card
	live *live
}

// Want is a run that a worker of a fleet is to have.
type Want struct {
	ID     string
	Remote string
	Branch string // that the work becomes there; empty: none
	Bid

	// Lay lays out the work tree where nobody has begun the run, and says in which
	// folder of it the run is to work.
	Lay func(context.Context) (dir string, err error)
}

// At is what the ref of the run is at, as far as we know.
func (h *Held) At() string { return h.at }

// Card is what that says.
func (h *Held) Card() Card { return h.card }

// Found is the card that was there when the run was taken.
func (h *Held) Found() Card { return h.found }

// HasRecords tells whether the run has begun here.
func (h *Held) HasRecords() bool {
	_, err := journal.Border{Store: h.place.Store}.Load(h.want.ID)
	return err == nil
}

// Look asks the remote what the ref is at now.
func (h *Held) Look(ctx context.Context) (at string, err error) {
	return h.remote.look(ctx, h.ref)
}

// Hide says what of the run does not travel.
func (h *Held) Hide(secrets *redact.Redactor) { h.place.Hide = secrets }

// Patience is how often a push that does not come through is tried, with longer and
// longer pauses; 0: until ctx is done.
func (h *Held) Patience(tries int) { h.remote.tries = tries }

// Take takes a run for one leg, before anything of it is touched. Where there are
// records on the remote, they and their work tree are brought into this one, which is to
// be empty; where this work tree has left the run as it is there, nothing is brought. It
// is a *TakenError where it is somebody else's.
func (p Place) Take(ctx context.Context, w Want) (*Held, error) {
	lock, err := p.Store.Lock(journal.Self("", ""))
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	tree, err := p.tree(ctx, p.Store.Tree)
	if err != nil {
		return nil, err
	}
	a := admission{place: p, tree: tree, meant: w.Remote, bid: w.Bid, id: w.ID, ref: Prefix + w.ID}
	if a.remote, err = openRemote(ctx, tree, p.Store.Dir, w.Remote); err != nil {
		return nil, err
	}
	h := &Held{place: p, want: w, remote: a.remote, tree: tree, ref: a.ref, making: filepath.Join(a.remote.repo, "legs", w.ID)}
	if err := os.MkdirAll(filepath.Join(h.making, "pack"), 0o700); err != nil {
		return nil, err
	}
	refs, err := a.remote.refs(ctx, a.ref, heads+w.Branch)
	if err != nil {
		return nil, err
	}
	a.now, h.branchAt = refs[a.ref], refs[heads+w.Branch]
	if err := a.findHere(); err != nil {
		return nil, err
	}
	switch {
	case a.now == "":
		return h, h.begin(ctx, &a)
	case a.here != nil && a.note != nil && a.note.At == a.now && !a.note.Half:
		return h, h.again(ctx, &a)
	}
	card, err := a.remote.fetchCard(ctx, a.ref, w.ID)
	if err != nil {
		return nil, err
	}
	h.at, h.card, h.found = a.now, card, card
	if err := w.beats(card, a.remote.name); err != nil {
		return nil, err
	}
	if !card.Begun() {
		return h, h.begin(ctx, &a)
	}
	if err := h.clear(ctx, card.Head, card.Published, h.branchAt); err != nil {
		return nil, err
	}
	if prefix := filepath.FromSlash(card.Prefix); prefix != "" {
		if !filepath.IsLocal(prefix) {
			return nil, &ForeignError{What: fmt.Sprintf("%q is no folder of the repository", card.Prefix)}
		}
		dir := filepath.Join(tree.Top(), prefix)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := h.moveTo(ctx, &a, dir); err != nil {
			return nil, err
		}
	}
	if _, err := a.admit(ctx); err != nil {
		return nil, err
	}
	h.at, h.card = a.now, a.card
	return h, nil
}

// moveTo goes to the folder that the run works in.
func (h *Held) moveTo(ctx context.Context, a *admission, dir string) (err error) {
	a.place.Store = a.place.Store.At(dir)
	a.tree, err = a.place.tree(ctx, dir)
	h.place, h.tree = a.place, a.tree
	return err
}

// Tree is the folder of the repository that the run works in.
func (h *Held) Tree() string { return h.tree.Dir() }

// Store is where the records of the run are.
func (h *Held) Store() journal.Store { return h.place.Store }

// begin says of a run that nobody has begun that we do.
func (h *Held) begin(ctx context.Context, a *admission) error {
	dir, err := h.want.Lay(ctx)
	if err == nil {
		err = h.moveTo(ctx, a, dir)
	}
	if err != nil {
		return err
	}
	head, err := h.tree.Head(ctx)
	if err != nil {
		return err
	}
	if err := h.clear(ctx, head, "", h.branchAt); err != nil {
		return err
	}
	next := Card{Run: h.want.ID, Leg: h.want.Leg, Head: head, Base: head}
	next.sign(h.want.Bid, true)
	return h.move(ctx, &state{card: next, parents: []string{head}}, nil)
}

// again takes a run up that is here as it was left.
func (h *Held) again(ctx context.Context, a *admission) error {
	h.at = a.now
	if _, err := h.remote.run(ctx, nil, []string{h.making}, "cat-file", "-e", a.now+"^{commit}"); err != nil {
		if err := h.remote.fetch(ctx, a.ref, nil); err != nil {
			return err
		}
	}
	out, err := h.remote.cardBlob(ctx, a.now, []string{h.making})
	if err != nil {
		return unread(ctx, err)
	}
	if h.card, err = readCard(out, a.id); err != nil {
		return err
	}
	h.found = h.card
	own := h.card.Held && h.card.Fleet && h.card.Worker == h.want.Worker && h.card.Leg == h.want.Leg
	if err := h.want.beats(h.card, h.remote.name); err != nil && !own {
		return err
	}
	if err := h.clear(ctx, h.card.Head, h.card.Published, h.branchAt); err != nil {
		return err
	}
	next := h.card
	next.Leg = h.want.Leg
	next.sign(h.want.Bid, true)
	if err := h.move(ctx, &state{card: next, partial: true}, nil); err != nil {
		return err
	}
	return h.note(a.here.Dir, false)
}

// move makes a state, and moves the ref to it.
func (h *Held) move(ctx context.Context, s *state, branch *move) error {
	var more []string
	if h.live != nil {
		more = h.live.objects
	}
	at, err := h.remote.commit(ctx, s, h.at, h.making, more)
	if err != nil {
		h.live = nil // it speaks of a state that is not there
		return err
	}
	to := put{at: at, card: s.card, live: h.live}
	err = h.remote.push(ctx, s.card.called(), move{h.ref, h.at, at}, branch, append([]string{h.making}, more...))
	var unsure *UnsureError
	if errors.As(err, &unsure) {
		h.doubt = &to
	}
	if err != nil {
		h.live = nil // likewise
		return err
	}
	h.adopt(to)
	return nil
}

func (h *Held) adopt(p put) {
	if p.card.Published != h.card.Published {
		h.theirs = nil // from now on it is where we left it
	}
	h.at, h.card, h.live, h.doubt = p.at, p.card, p.live, nil
}

// settle finds out what became of a push that may have come through.
func (h *Held) settle(ctx context.Context) error {
	if h.doubt == nil {
		return nil
	}
	now, err := h.Look(ctx)
	switch {
	case err != nil:
		return err
	case now == h.doubt.at:
		h.adopt(*h.doubt)
	case now == h.at:
		h.doubt = nil
	default:
		return &TakenError{Run: h.card.called(), Remote: h.remote.name, By: h.remote.cardOf(ctx, h.ref, h.want.ID), Now: now}
	}
	return nil
}

// Moment is what a run is kept as.
type Moment struct {
	Checkpoint string // that the work tree is at; empty: one is made
	State      loop.Status
	Branch     bool // the branch goes along
	Free       bool // from now on it is anybody's
	Told       Costs
}

// Keep moves the ref to what the records say by now. As long as it has not come back
// without an error, nothing of that is safe.
func (h *Held) Keep(ctx context.Context, m Moment) error {
	if err := h.settle(ctx); err != nil {
		return err
	}
	if h.live == nil {
		if err := h.read(ctx); err != nil {
			return err
		}
	}
	s, err := h.state(ctx, m)
	if err != nil {
		h.live = nil
		return err
	}
	var branch *move
	if m.Branch {
		branch = h.branch(&s.card)
	}
	err = h.move(ctx, s, branch)
	var other *BranchError
	if errors.As(err, &other) && h.mayMove(ctx, s.card.Head, other.Now) {
		return h.Keep(ctx, m)
	}
	if err != nil {
		return err
	}
	return h.note(h.live.dir, m.Free)
}

// note writes down where the run is. Where it is anybody's, it does not go on here
// unless it is taken again.
func (h *Held) note(dir string, away bool) error {
	return journal.Carried{
		Remote: h.want.Remote, Ref: h.ref, Name: h.card.Name, At: h.at, Leg: h.card.Leg, Branch: h.card.Branch, Tree: h.card.Tree, Away: away, There: away, Since: time.Now().UTC(),
	}.Write(dir)
}

// branch is how the branch of the run moves on the remote, where it does. Nobody's
// commits are written over but the run's own.
func (h *Held) branch(next *Card) *move {
	if h.want.Branch == "" || next.Head == next.Published || next.Published == "" && next.Head == next.Base {
		return nil
	}
	m := &move{ref: heads + h.want.Branch, from: next.Published, to: next.Head}
	if h.theirs != nil {
		m.from = *h.theirs
	}
	next.Published = next.Head
	return m
}

// mayMove tells whether a branch that is not where we left it may be moved on all the
// same: it is gone, or the run has in its past what others have added.
func (h *Held) mayMove(ctx context.Context, head, now string) bool {
	if h.theirs != nil && *h.theirs == now {
		return false // that was tried
	}
	if now != "" {
		if _, err := h.remote.run(ctx, nil, nil, "merge-base", "--is-ancestor", now, head); err != nil {
			return false
		}
	}
	h.theirs = &now
	return true
}

// clear is a *BranchError where others have written to the branch, so that what the run
// does could not go there. It is asked before anything is done.
func (h *Held) clear(ctx context.Context, head, published, now string) error {
	if h.want.Branch == "" || now == published || h.mayMove(ctx, head, now) {
		return nil
	}
	return &BranchError{Remote: h.remote.name, Branch: h.want.Branch, Now: now}
}
