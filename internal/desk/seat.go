package desk

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// isRun is what the id of a run looks like.
func isRun(id string) bool { return runID().MatchString(id) }

var runID = text.NewPattern(`^loop_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// home is the folder of a run.
func (d *Desk) home(id string) string { return filepath.Join(d.Root, "runs", id) }

// trees are the work trees that were made for a run, by the leg that made them.
func (d *Desk) trees(id string) map[int]string {
	found := map[int]string{}
	entries, _ := os.ReadDir(d.home(id)) // none is none
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && e.IsDir() {
			found[n] = filepath.Join(d.home(id), e.Name(), "tree")
		}
	}
	return found
}

// treeOf is the work tree of a run that has begun here; empty: none has.
func (d *Desk) treeOf(id string) string {
	for _, tree := range d.trees(id) {
		if _, _, note := here(tree, id); note != nil {
			return tree
		}
	}
	return ""
}

// origin is run.json: where a run is from.
type origin struct {
	ID     string `json:"id"`
	Remote string `json:"remote"`
}

// sitDown takes the run, in the work tree that has it as the remote does or in a new one.
func (l *leg) sitDown(ctx context.Context) (*carry.Held, error) {
	now, err := carry.Look(ctx, l.desk.Root, l.Remote, l.ID)
	if err != nil {
		return nil, err
	}
	if now == "" && (l.told != "" || l.Carried) { // never from its beginning: what it did is somewhere
		return nil, &RefGoneError{Run: l.Name, Remote: shown(l.Remote), Tree: l.desk.treeOf(l.ID)}
	}
	for _, tree := range l.desk.trees(l.ID) {
		store, entry, note := here(tree, l.ID)
		switch {
		case note == nil:
			continue
		case now == "":
			return nil, &RefGoneError{Run: l.Name, Remote: shown(l.Remote), Tree: tree}
		case note.At == now && !note.Half && !atWork(entry):
			return l.take(ctx, store.At(entry.Tree), nil)
		}
	}
	if err := l.desk.clear(ctx, l.ID); err != nil {
		return nil, err
	}
	l.moved = true
	return l.anew(ctx)
}

// atWork tells whether a worker died while an agent was at work: what that had done is
// half of something, and the attempt is made again from where it began.
func atWork(e journal.Entry) bool {
	left := loop.LeftOpenOf(e.Tail)
	return left != nil && left.Exited == nil
}

// here is a run as it lies in a work tree; no note: it does not.
func here(tree, id string) (journal.Store, journal.Entry, *journal.Carried) {
	store, err := journal.Open(tree)
	if err != nil {
		return store, journal.Entry{}, nil
	}
	entry, err := journal.Border{Store: store}.Load(id)
	if err != nil {
		return store, entry, nil
	}
	note, err := entry.Carried()
	if err != nil {
		return store, entry, nil
	}
	return store, entry, note
}

// take claims the run.
func (l *leg) take(ctx context.Context, store journal.Store, lay func(context.Context) (string, error)) (*carry.Held, error) {
	store, err := store.Claim()
	if err != nil {
		return nil, err
	}
	held, err := carry.Place{Store: store}.Take(ctx, carry.Want{
		ID: l.ID, Remote: l.Remote, Branch: l.Branch, Bid: carry.Bid{Worker: l.desk.Worker, Leg: l.Leg}, Lay: lay,
	})
	if err != nil {
		return nil, err
	}
	held.Patience(0)                    // each push has its own time
	held.Hide(app.Secrets(held.Tree())) // by the settings that are there now
	return held, nil
}

// anew takes the run in a new work tree.
func (l *leg) anew(ctx context.Context) (*carry.Held, error) {
	b, err := json.Marshal(origin{l.ID, l.Remote})
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(l.desk.home(l.ID), strconv.Itoa(l.Leg), "tree")
	if err := os.MkdirAll(tree, 0o700); err != nil {
		return nil, err
	}
	if err := files.Replace(filepath.Join(l.desk.home(l.ID), "run.json"), b, 0o600, files.SyncFile); err != nil {
		return nil, err
	}
	m, err := l.desk.mirror(ctx, l.Remote)
	if err != nil {
		return nil, err
	}
	if err := m.lend(ctx, tree, l.Remote); err != nil {
		return nil, err
	}
	store, err := journal.Open(tree)
	if err != nil {
		return nil, err
	}
	lay := func(ctx context.Context) (string, error) {
		base, err := m.commit(ctx, l.Base)
		if err != nil {
			return "", err
		}
		if err := checkOut(ctx, tree, l.Branch, base); err != nil {
			return "", err
		}
		return request.Root(filepath.Join(tree, filepath.FromSlash(l.Dir)))
	}
	return l.take(ctx, store, lay)
}
