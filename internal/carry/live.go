package carry

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
)

// live is what is known of a run that goes on here, so that each state only says what has
// changed since the one before.
type live struct {
	name, dir string // the run's here
	trail     *journal.Trail
	scroll    *scroll // nil: its journal was not read yet
	kept      *checkpoint.Store
	objects   []string // folders of objects that its checkpoints are in
	safe      string   // the checkpoint up to which nothing is secret; empty: nobody has looked
	there     map[string]stamp
	folders   map[string]bool // of attempts that are in the state
}

// stamp is by what a file of an attempt is known; zero: nobody knows.
type stamp struct {
	size int64
	at   time.Time
}

// read finds out what of the run is in the state that its ref is at.
func (h *Held) read(ctx context.Context) error {
	entry, err := journal.Border{Store: h.place.Store}.Load(h.want.ID)
	if err != nil {
		return err
	}
	l := &live{name: entry.Name, dir: entry.Dir, safe: h.card.Checkpoint, there: map[string]stamp{}, folders: map[string]bool{}}
	if l.trail, err = (journal.Border{Store: h.place.Store}).Trail(l.name); err != nil {
		return err
	}
	if l.kept, err = checkpoint.OpenStore(ctx, h.tree, history.Checkpoints(l.dir), ""); err != nil {
		return err
	}
	l.objects = checkpoint.Border{Store: l.kept}.Objects()
	if h.card.Begun() {
		list, err := h.remote.listing(ctx, h.at, []string{h.making})
		if err != nil {
			return err
		}
		for _, f := range list {
			if parts := strings.Split(f.name, "/"); parts[0] == attemptsDir {
				l.there[f.name], l.folders[parts[1]] = stamp{}, true
			}
		}
	}
	h.live = l
	return nil
}

// state is what has changed of the run since the state before.
func (h *Held) state(ctx context.Context, m Moment) (*state, error) {
	l := h.live
	next := h.card
	next.State, next.Checkpoint, next.Prefix, next.Told = m.State, m.Checkpoint, h.tree.Prefix(), &m.Told
	if !next.Begun() {
		next.Name = l.name
	}
	if next.Checkpoint == "" {
		made, err := l.kept.Checkpoint(ctx)
		if err != nil {
			return nil, err
		}
		next.Checkpoint = made.ID
	}
	if !l.kept.CanRestore() {
		return nil, noCheckpoints(next.Name)
	}
	s := &state{partial: true}
	more, err := l.trail.More()
	if err != nil {
		return nil, err
	}
	from := len(next.Chunks)
	if l.scroll == nil {
		more = journal.Renamed(more, l.name, next.Name)
		if l.scroll, err = follow(&h.card, more); err != nil {
			return nil, err
		}
		for _, n := range next.Chunks {
			more = more[n:]
		}
	} else {
		from = l.scroll.add(more)
	}
	beside, err := l.trail.Luggage()
	if err != nil {
		return nil, err
	}
	beside.Journal = more
	if err := s.records(beside, h.place.Hide); err != nil {
		return nil, err
	}
	for i := from; i < len(l.scroll.pieces); i++ {
		s.files[chunkName(i)], more = more[:l.scroll.pieces[i]], more[l.scroll.pieces[i]:]
	}
	anew := l.scroll.crowded()
	if anew {
		l.join(s)
	}
	l.scroll.note(&next)
	if err := h.look(ctx, &next, s, anew); err != nil {
		return nil, err
	}
	next.sign(h.want.Bid, !m.Free)
	if anew || next.Checkpoint != h.card.Checkpoint { // else the state before has it
		s.parents = append(s.parents, next.Checkpoint)
	}
	if anew || next.Head != h.card.Head {
		s.parents = append(s.parents, next.Head)
	}
	if anew {
		next.Cut = nil
	}
	s.card = next
	pick := &changes{live: l, all: anew, seen: map[string]bool{}}
	if err := s.attempts(l.dir, beside, h.place.Hide, pick); err != nil {
		return nil, err
	}
	pick.forget(s)
	if next.Checkpoint != l.safe {
		if err := h.remote.noSecrets(ctx, next, span{seen: l.safe, kept: next.Checkpoint}, h.place.Hide, append([]string{h.making}, l.objects...)); err != nil {
			return nil, err
		}
		l.safe = next.Checkpoint
	}
	return s, s.fits()
}

// join makes the small pieces of the journal one.
func (l *live) join(s *state) {
	at, all, before := l.scroll.join()
	for i := at; i < before; i++ {
		delete(s.files, chunkName(i))
		s.gone = append(s.gone, chunkName(i))
	}
	s.files[chunkName(at)] = all
}

// look finds out what the work tree is at, with one git. A state that is to forget those
// before it goes on from what the last of them holds.
func (h *Held) look(ctx context.Context, c *Card, s *state, anew bool) error {
	args := []string{"rev-parse", "HEAD", c.Checkpoint + "^{tree}"}
	if anew {
		args = append(args, h.at+"^{tree}")
	}
	args = append(args, "--symbolic-full-name", "HEAD")
	env := alsoIn(append([]string{h.making}, h.live.objects...))
	out, err := h.tree.Program().RunWith(ctx, git.Command{Env: env}, args...)
	if err != nil {
		return fmt.Errorf("find out what the work tree is at: %w", err)
	}
	said := strings.Fields(string(out))
	if len(said) != len(args)-2 {
		return fmt.Errorf("git rev-parse: %q", out)
	}
	c.Head, c.Tree, c.Branch = said[0], said[1], ""
	if anew {
		s.tree = said[2]
	}
	if branch, ok := strings.CutPrefix(said[len(said)-1], heads); ok {
		c.Branch = branch
	}
	return nil
}

// changes picks what is not in the state before as it is now.
type changes struct {
	live *live
	all  bool            // every folder is looked at
	seen map[string]bool // files that are there
}

// settling is how many of the last attempts may still change: what comes after an
// attempt is written beside it.
const settling = 2

func (c *changes) folder(name string, back int) bool {
	if !c.all && back >= settling && c.live.folders[name] {
		return false
	}
	c.live.folders[name] = true
	return true
}

// forget takes out of the state what is not there any more.
func (c *changes) forget(s *state) {
	if !c.all {
		return
	}
	for name := range c.live.there {
		if !c.seen[name] {
			delete(c.live.there, name)
			s.gone = append(s.gone, name)
		}
	}
}

func (c *changes) file(name string, info fs.FileInfo) bool {
	c.seen[name] = true
	now := stamp{info.Size(), info.ModTime()}
	if c.live.there[name] == now {
		return false
	}
	c.live.there[name] = now
	return true
}
