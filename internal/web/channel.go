package web

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	// maxItems is how many of the latest events are at hand. What is older is in the
	// files of the run.
	maxItems = 4096
	// maxWeight is how large they may be together.
	maxWeight = 8 << 20
	// batchTime is the shortest time between two frames to a page.
	batchTime = 100 * time.Millisecond
	// pageTime is what each page that shows a run adds to that.
	pageTime = 50 * time.Millisecond
	// stateTime is the same for the head of the page.
	stateTime = 250 * time.Millisecond
	// pollTime is how often the files of a run are looked at that does not answer.
	pollTime = 500 * time.Millisecond
)

// channel follows one run for all pages that show it: over one connection to the run,
// while it is live, and else by its files. It keeps the latest events, and a page that
// is slower than that misses some, and hears of it. Nobody waits for a page.
type channel struct {
	of     runs
	one    ship
	ledger *ledger.Ledger
	users  int // guarded by the channels
	end    context.CancelFunc
	last   sync.Once // look, when the server ends

	mu      sync.Mutex
	teller  *teller // nil before the run was looked at
	items   []*item // oldest first
	weight  int     // of all of them
	at      int64   // the newest event
	kept    int64   // the newest one of the journal
	busy    string  // who is at work in the work tree
	version int64   // counts up whenever the head of the page may have changed
	fresh   bool    // the pages have not heard of something
	news    chan struct{}
	made    []byte // the head, when it was made last, as JSON
	state   loop.Status
	madeOf  int64
	madeAt  time.Time
}

// item is an event at hand, and what a page shows of it, which is made once, for all
// pages.
type item struct {
	event loop.Event
	facts []Entry
	once  sync.Once
	json  []json.RawMessage
}

// entries are what a page shows of the event, as JSON.
func (i *item) entries() []json.RawMessage {
	i.once.Do(func() {
		if entry, ok := entryOf(i.event); ok {
			i.facts = append(i.facts, entry)
		}
		i.json = asJSON(i.facts)
		i.facts = nil
	})
	return i.json
}

// asJSON is each of some entries as JSON.
func asJSON(entries []Entry) []json.RawMessage {
	var list []json.RawMessage
	for _, e := range entries {
		if b, err := json.Marshal(e); err == nil { // our own types always marshal
			list = append(list, b)
		}
	}
	return list
}

// channels are those that pages have open.
type channels struct {
	mu   sync.Mutex
	open map[string]*channel // by the folder of the run
}

// join opens the channel of a run, or shares it. Leave must be called.
func (l *channels) join(s runs, one ship) (c *channel, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[string]*channel{}
	}
	c = l.open[one.entry.Dir]
	if c == nil {
		ctx, cancel := context.WithCancel(s.closing)
		c = &channel{of: s, one: one, ledger: s.ledgers.of(one), end: cancel, news: make(chan struct{})}
		_, _ = c.look() // so that who joins sees something; follow tells what is wrong
		l.open[one.entry.Dir] = c
		s.wg.Go(func() { c.follow(ctx) })
		s.wg.Go(func() { c.wake(ctx) })
	}
	c.users++
	return c, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c.users--; c.users == 0 {
			c.end()
			delete(l.open, one.entry.Dir)
		}
	})
}

// pace is how long the pages of a run are let wait for what is new: with many of them
// longer, so that the run has the machine for itself.
func (l *channels) pace(c *channel) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(batchTime, time.Duration(c.users)*pageTime)
}

// look reads where the run stands.
func (c *channel) look() (entry journal.Entry, err error) {
	if entry, err = c.one.store.Load(c.one.entry.Name); err != nil {
		return entry, err
	}
	run := c.of.Look(c.one.store, entry)
	holder, held := c.one.store.Holder()
	c.mu.Lock()
	defer c.mu.Unlock()
	// What can be done with a run that is over depends on who is at work in its tree: first
	// its own runner, which is about to leave.
	if now := fmt.Sprint(held, holder.Run); now != c.busy {
		c.busy = now
		c.changed()
	}
	if c.teller == nil {
		c.one.entry, c.at, c.kept = entry, newestOf(c.one.store, entry), entry.Seq()
		c.teller = newTeller(run)
		return entry, nil
	}
	if now := c.teller.narrator.Run(); run.Away != nil && (now.Away == nil || *now.Away != *run.Away) {
		now.Away = run.Away // no event tells who has it
		c.changed()
	}
	// Whether the runner has died, no event tells; and one that was put in the place of
	// another begins anew.
	if now := c.teller.narrator.Run(); now.State != run.State && entry.Seq() >= c.kept || now.ID != run.ID {
		c.one.entry, c.teller = entry, newTeller(run)
		c.changed()
	}
	return entry, nil
}

// newestOf is the number of the last event of a run, be it of its journal or its agent.
func newestOf(store journal.Store, entry journal.Entry) int64 {
	at := entry.Seq()
	for line, err := range ledger.AttemptBackward(attemptDir(store, entry)) {
		if err == nil {
			at = max(at, line.Seq)
		}
		break
	}
	return at
}

// attemptDir is the folder of the latest attempt.
func attemptDir(store journal.Store, entry journal.Entry) string {
	dir, _, err := store.LastAttempt(entry.Name, max(1, entry.LastIteration()))
	if err != nil {
		return entry.Dir // where nothing of an attempt is
	}
	return dir
}

// changed notes that pages have something to hear. The lock is held.
func (c *channel) changed() {
	c.version++
	c.fresh = true
}

// follow reads on until nobody looks any more.
func (c *channel) follow(ctx context.Context) {
	stamp := ""
	for ctx.Err() == nil {
		entry, err := c.look()
		if err == nil && !c.one.store.Status(entry).Ended() {
			if h, held := c.one.store.Holder(); held && h.Run == entry.Name && h.Socket != "" {
				for e, err := range control.Dial(h.Socket).Events(ctx, c.newest()) {
					if err != nil {
						break // the files have the rest
					}
					c.add(e)
				}
			}
		}
		if now := c.stamp(entry); now != stamp {
			stamp = now
			c.readOn(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollTime):
		}
	}
}

// catchUp reads what there is by now, once for all pages, when the channel follows the
// run no longer.
func (c *channel) catchUp(ctx context.Context) {
	c.last.Do(func() {
		_, _ = c.look() // what was there is told all the same
		c.readOn(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed()
		c.madeAt = time.Time{}
	})
}

// stamp tells whether the files of the run have grown.
func (c *channel) stamp(entry journal.Entry) string {
	dir := c.one.entry.Dir
	return files.StampAt(filepath.Join(dir, "journal.jsonl")) + files.StampAt(filepath.Join(attemptDir(c.one.store, entry), "events.jsonl"))
}

// readOn takes what is new from the files.
func (c *channel) readOn(ctx context.Context) {
	for ctx.Err() == nil {
		page, err := c.ledger.Page(ctx, ledger.Query{After: c.newest(), Onward: true, Limit: maxRows})
		if err != nil {
			return // it is looked at again
		}
		for _, line := range page.Lines {
			if e, err := line.Event(); err == nil {
				c.add(e)
			}
		}
		if !page.More || len(page.Lines) == 0 {
			return
		}
	}
}

// add takes an event.
func (c *channel) add(e loop.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Seq <= c.at || c.teller == nil {
		return
	}
	one := &item{event: e}
	if e.Type().Kept() {
		one.facts, c.kept = c.teller.tell(e), e.Seq
	} else {
		c.teller.narrator.Tell(e)
	}
	c.at = e.Seq
	c.items, c.weight = append(c.items, one), c.weight+weigh(e)
	for len(c.items) > 1 && (len(c.items) > maxItems || c.weight > maxWeight) {
		c.weight -= weigh(c.items[0].event)
		c.items[0] = nil
		c.items = c.items[1:]
	}
	c.changed()
}

// weigh is about how much memory an event takes, with what is made of it. Only some have
// long texts.
func weigh(e loop.Event) int {
	const small = 1 << 10
	switch p := e.Payload.(type) {
	case *loop.AgentText:
		return small + 3*len(p.Text)
	case *loop.AgentToolResult:
		return small + 3*len(p.Output)
	case *loop.AgentTool:
		return small + 2*len(p.Input)
	case *loop.AgentResult:
		return small + len(p.Text)
	}
	return small
}

func (c *channel) newest() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// wake tells the pages now and then that there is something new.
func (c *channel) wake(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.of.channels.pace(c)):
		}
		c.mu.Lock()
		fresh, news := c.fresh, c.news
		if fresh {
			c.fresh, c.news = false, make(chan struct{})
		}
		c.mu.Unlock()
		if fresh {
			close(news)
		}
	}
}

// after gives what is at hand after a number, at most so many, and what is to be waited
// for. Whole is false when there was more than is at hand.
func (c *channel) after(at int64, most int) (list []*item, newest int64, whole bool, news <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at >= c.at {
		return nil, c.at, true, c.news
	}
	from := len(c.items)
	for from > 0 && c.items[from-1].event.Seq > at {
		from--
	}
	whole = from < len(c.items) && c.items[from].event.Seq == at+1
	list = c.items[from:min(len(c.items), from+most)]
	return append([]*item(nil), list...), c.at, whole, c.news
}

// head is the head of the page, as JSON, with the state in it, and a number that tells
// whether it is another one. It is made once for all pages.
func (c *channel) head() (made []byte, state loop.Status, version int64) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.teller == nil || c.madeOf == c.version && !c.madeAt.IsZero() || now.Sub(c.madeAt) < stateTime {
		return c.made, c.state, c.madeOf
	}
	run := c.teller.narrator.Run()
	if run.State.Ended() {
		closely := c.of.LookClosely(c.one.store, c.one.entry)
		run.Spared, run.Left = closely.Spared, closely.Left
	}
	if known, ok := c.of.fleet.find(c.one.entry.ID, now); ok {
		c.one.row = known.row
	}
	head := c.of.describe(c.one, run, c.at, now)
	if b, err := json.Marshal(head); err == nil { // our own types always marshal
		c.made = b
	}
	c.state, c.madeOf, c.madeAt = head.Status.State, c.version, now
	return c.made, c.state, c.madeOf
}
