package carry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// DirtyError says that the work tree holds what a fetch would write over.
type DirtyError struct{ Files int }

func (e *DirtyError) Error() string {
	if e.Files == 1 {
		return "1 file of this work tree is not committed, and the run brings a work tree along"
	}
	return fmt.Sprintf("%d files of this work tree are not committed, and the run brings a work tree along", e.Files)
}

// Hint says what to do.
func (e *DirtyError) Hint() string {
	return "commit them or put them away with \"git stash -u\"; or fetch into a work tree of its own: git worktree add"
}

// Fetch brings a run from a remote into the work tree, to go on with here: its records,
// its checkpoints, its branch and its files. From then on it is held here, and nobody
// else goes on with it unless by force. What is cut short can be done again; until then
// the run does not go on here.
func (p Place) Fetch(ctx context.Context, word, meant string, force bool) (*Moved, error) {
	lock, err := p.Store.Lock(journal.Self("", ""))
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	tree, err := p.tree(ctx, p.Store.Tree)
	if err != nil {
		return nil, err
	}
	a := admission{place: p, tree: tree, meant: meant, force: force}
	if a.remote, err = openRemote(ctx, tree, p.Store.Dir, meant); err != nil {
		return nil, err
	}
	if err := a.find(ctx, word); err != nil {
		return nil, err
	}
	return a.admit(ctx)
}

// admission is a run on its way in.
type admission struct {
	place  Place
	remote *remote
	tree   *git.Tree
	meant  string // the remote, as a person has named it
	force  bool
	bid    Bid

	id, ref string
	here    *journal.Entry   // as it is here; nil: it is not
	note    *journal.Carried // of that
	now     string           // what the ref is at
	aside   string           // where the run that was here is now, if not all of it has come
	card    Card             // and what that says, once the run is ours
}

// find finds which run is meant, on the remote and here. One that has left from here is
// found by its name here.
func (a *admission) find(ctx context.Context, word string) (err error) {
	if e, err := a.place.Store.Find(word); err == nil && word == e.Name {
		if note, err := e.Carried(); err == nil && note != nil && note.Remote == a.meant {
			a.id = e.ID
		}
	}
	if a.id == "" {
		if a.id, err = a.remote.meant(ctx, word); err != nil {
			return err
		}
	}
	a.ref = Prefix + a.id
	if err := a.findHere(); err != nil {
		return err
	}
	a.now, err = a.remote.look(ctx, a.ref)
	return err
}

// findHere finds the run as it is here, where it is.
func (a *admission) findHere() error {
	list, _, err := a.place.Store.List()
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.ID == a.id {
			a.here = &e
			if s := a.place.Store.Status(e); !s.Ended() && s != loop.Crashed {
				return &UnwillingError{e.Name + " is alive in " + e.Tree, "let it end there, or park it: refrain park " + e.Name}
			}
			if a.note, err = e.Carried(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *admission) admit(ctx context.Context) (*Moved, error) {
	if n := a.note; n != nil && n.Away && a.now == n.From && n.Remote == a.meant { // it has never left
		if n.There && !a.force {
			return nil, &UnwillingError{a.here.Name + " was on " + a.remote.name + ", and is not any more: who deleted it there may have it", "if nobody has, go on with it here: refrain carry fetch " + a.here.Name + " " + a.remote.name + " --trust --force"}
		}
		n.Away, n.There, n.At, n.From = false, false, n.From, ""
		if n.At == "" {
			return &Moved{Run: a.here.Name, ID: a.id, Remote: a.remote.name, Kept: true}, journal.DropCarried(a.here.Dir)
		}
		return &Moved{Run: a.here.Name, ID: a.id, Remote: a.remote.name, At: n.At, Leg: n.Leg, Kept: true}, n.Write(a.here.Dir)
	}
	if a.now == "" {
		return nil, &UnknownError{"the run is not on " + a.remote.name, "\"refrain carry ls\" lists those that are there"}
	}
	if n := a.note; n != nil && !n.Away && !n.Half && n.At == a.now {
		return nil, &UnwillingError{a.here.Name + " is here already", "go on with it: refrain resume " + a.here.Name}
	}
	head, err := a.tree.Head(ctx)
	if err != nil {
		return nil, err
	}
	a.place.stage("fetching from " + a.remote.name)
	if err := a.remote.fetch(ctx, a.ref, []string{head}); err != nil {
		return nil, err
	}
	found, err := a.remote.read(ctx, a.now, a.id)
	if err != nil {
		return nil, err
	}
	card := found.card
	own := a.claimed(ctx) == a.now // a claim of ours that was cut short
	if !card.Begun() {
		return nil, &UnwillingError{"no worker has begun " + a.id + " yet", "wait until it has made its first iteration"}
	}
	if err := a.bid.beats(card, a.remote.name); err != nil && !own && !a.force {
		return nil, err
	}
	if card.Prefix != a.tree.Prefix() {
		return nil, &UnwillingError{fmt.Sprintf("the run works in the folder %q of the repository", card.Prefix), "go to that folder here"}
	}
	if err := a.related(ctx, head, card); err != nil {
		return nil, err
	}
	to := git.Arrival{Tree: a.tree, From: a.remote.repo, Ref: "refs/refrain/heads/" + a.id, Commit: card.Head, Branch: card.Branch}
	if _, err := a.remote.run(ctx, nil, nil, "update-ref", to.Ref, card.Head); err != nil {
		return nil, err
	}
	if err := to.Fits(ctx); err != nil {
		return nil, err
	}
	if err := a.clean(ctx); err != nil {
		return nil, err
	}
	l, err := found.luggage(ctx, a.remote)
	if err != nil {
		return nil, err
	}
	if !own {
		if a.now, err = a.claim(ctx, &card); err != nil {
			return nil, err
		}
	}
	a.card = card
	return a.install(ctx, found, card, l, to)
}

// related refuses a repository that the run is not of: what it has brought along would
// stand in the place of another project. One without a commit is any. Of one that does
// not have all of its history nobody can tell.
func (a *admission) related(ctx context.Context, head string, card Card) error {
	if head == "" || head == card.Head {
		return nil
	}
	here := a.tree.Program()
	if shallow, err := here.Run(ctx, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(string(shallow)) != "false" {
		return err
	}
	roots, err := a.remote.run(ctx, nil, nil, "rev-list", "--max-parents=0", card.Head, "--")
	if err != nil {
		return fmt.Errorf("look where the history of the run begins: %w", err)
	}
	for _, root := range strings.Fields(roots) {
		_, err := here.Run(ctx, "cat-file", "-e", root+"^{commit}")
		if err == nil {
			return nil
		}
		if _, answered := git.ExitCode(err); !answered {
			return err
		}
	}
	return &UnwillingError{card.Name + " is of another repository: nothing of its history is in this one", "go to a clone of the one that it is of, or to an empty one: git init"}
}

// clean refuses a work tree with something in it that nobody would find again. What the
// run itself has left there it brings back.
func (a *admission) clean(ctx context.Context) error {
	_, paths, err := a.tree.Status(ctx)
	if err != nil || len(paths) == 0 {
		return err
	}
	if a.note != nil && a.note.Half {
		return nil // half of it is the run's, and all of it is kept in a checkpoint
	}
	if a.note != nil && a.note.Tree != "" {
		h, err := history.Open(ctx, a.place.Store, *a.here)
		if err != nil {
			return err
		}
		border := checkpoint.Border{Store: h.Kept}
		last, err := border.Last(ctx)
		if err != nil {
			return err
		}
		if now, err := h.Kept.Checkpoint(ctx); err != nil || now.Tree == a.note.Tree {
			return err
		}
		if err := border.Forget(last); err != nil { // what is there is a person's, and no part of the run
			return err
		}
	}
	return &DirtyError{Files: len(paths)}
}

// claims is where our claim of a run is before it is on the remote, so that we know it
// again.
func (a *admission) claims() string { return "refs/refrain/claims/" + a.id }

// claimed is our last claim; empty where there is none.
func (a *admission) claimed(ctx context.Context) string {
	out, err := a.remote.run(ctx, nil, nil, "rev-parse", "-q", "--verify", a.claims()+"^{commit}")
	if err != nil || len(out) < 40 {
		return ""
	}
	return out[:len(out)-1]
}

// claim makes the run ours, if nobody else has moved it.
func (a *admission) claim(ctx context.Context, card *Card) (at string, err error) {
	next := *card
	next.Leg++
	if a.bid.fleet() {
		next.Leg = a.bid.Leg
	}
	next.sign(a.bid, true)
	earlier := a.claimed(ctx)
	if at, err = a.remote.commit(ctx, &state{card: next, partial: true, ref: a.claims()}, a.now, "", nil); err != nil {
		return "", err
	}
	a.place.stage("claiming it on " + a.remote.name)
	err = a.remote.push(ctx, card.Name, move{a.ref, a.now, at}, nil, nil)
	var taken *TakenError
	switch {
	case err == nil:
		*card = next
		return at, nil
	case !errors.As(err, &taken) || earlier == "" || taken.Now != earlier || taken.By == nil:
		return "", err
	}
	// It is our own claim of before: we were killed, and git was not.
	*card = *taken.By
	_, err = a.remote.run(ctx, nil, nil, "update-ref", a.claims(), earlier)
	return earlier, err
}

// install makes the run what it was where it left.
func (a *admission) install(ctx context.Context, found *arrival, card Card, l journal.Luggage, to git.Arrival) (*Moved, error) {
	note := journal.Carried{
		Remote: a.meant, Ref: a.ref, Name: card.Name, At: a.now, From: found.at, Leg: card.Leg, Branch: card.Branch, Tree: card.Tree, Half: true, Since: time.Now().UTC(),
	}
	a.place.stage("taking in the records")
	entry, err := a.records(ctx, found, l, note)
	if err != nil {
		return nil, err
	}
	a.place.stage("bringing the work tree")
	kept, err := checkpoint.OpenStore(ctx, a.tree, history.Checkpoints(entry.Dir), "")
	if err != nil {
		return nil, err
	}
	goal, err := kept.Load(ctx, card.Checkpoint)
	if err != nil {
		return nil, err
	}
	if err := to.TakeUp(ctx); err != nil {
		return nil, err
	}
	before, _, err := kept.Restore(ctx, goal)
	if err != nil {
		return nil, err
	}
	note.Half = false
	if err := note.Write(entry.Dir); err != nil {
		return nil, err
	}
	return &Moved{
		Run: entry.Name, ID: a.id, There: card.Name, Remote: a.remote.name, At: a.now, Leg: card.Leg, Branch: card.Branch, Commit: card.Head, Before: before.ID, Cut: card.Cut,
		Stays: staying(goal), Aside: a.aside,
	}, nil
}

// records takes in the records and the checkpoints, unless a fetch that was cut short
// has done so: what was in the work tree before is in those checkpoints alone.
func (a *admission) records(ctx context.Context, found *arrival, l journal.Luggage, note journal.Carried) (journal.Entry, error) {
	if n := a.note; n != nil && n.Half && n.At == note.At && a.here.Tampered == "" {
		return *a.here, nil
	}
	fill := func(dir string) error {
		if err := found.unpack(ctx, a.remote, dir); err != nil {
			return err
		}
		if err := a.checkpoints(ctx, history.Checkpoints(dir), found.card.Checkpoint); err != nil {
			return err
		}
		return note.Write(dir)
	}
	name, aside, err := journal.Border{Store: a.place.Store}.Unpack(l, fill, func(was, next string) bool { return a.replaces(ctx, was, next) })
	if err != nil {
		return journal.Entry{}, foreign(err)
	}
	a.aside = aside
	return a.place.Store.Load(name)
}

// replaces tells whether the checkpoints of the run that was here are all in its next
// folder. One that was made here since, as by a rollback, is nowhere else.
func (a *admission) replaces(ctx context.Context, was, next string) bool {
	before, err := checkpoint.OpenStore(ctx, a.tree, history.Checkpoints(was), "")
	if err != nil {
		return false
	}
	after, err := checkpoint.OpenStore(ctx, a.tree, history.Checkpoints(next), "")
	if err != nil {
		return false
	}
	all, err := checkpoint.Border{Store: after}.Holds(ctx, before)
	return err == nil && all
}

// foreign is an error that the records of a run do not fit together.
func foreign(err error) error {
	var odd *journal.LuggageError
	if errors.As(err, &odd) {
		return &ForeignError{What: odd.What}
	}
	return err
}

// checkpoints makes a store with the checkpoints up to one, out of what was fetched.
func (a *admission) checkpoints(ctx context.Context, dir, id string) error {
	s, err := checkpoint.OpenStore(ctx, a.tree, dir, history.Pool(a.place.Store))
	if err != nil {
		return err
	}
	border := checkpoint.Border{Store: s}
	packs, err := border.Packs()
	if err != nil {
		return err
	}
	if _, err := a.remote.run(ctx, []byte(id+"\n"), nil, "pack-objects", "--revs", "-q", filepath.Join(packs, "pack")); err != nil {
		return fmt.Errorf("take in the checkpoints: %w", err)
	}
	if err := border.Admit(ctx, id); err != nil {
		return &ForeignError{What: err.Error()}
	}
	return nil
}
