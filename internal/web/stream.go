package web

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
)

const (
	// maxFrame is how many events go into one frame.
	maxFrame = 500
	// maxCatchUp is how many events a page gets that was away. What is older it has to
	// ask for.
	maxCatchUp = 5000
)

// pageStream keeps the page of one run up to date. All that it remembers is how far the
// page has come.
type pageStream struct {
	server  *Server
	channel *channel
	out     *events
	raw     bool // the page wants events as they are, too
	once    bool // the page wants what there is now, and comes again for the rest

	at    int64
	head  int64     // the version of the head that the page has
	sent  time.Time // when it got it
	state loop.Status
}

type frame struct {
	First   int64             `json:"first"`
	Last    int64             `json:"last"`
	Entries []json.RawMessage `json:"entries"`
}

type resync struct {
	After int64 `json:"after"`
	Next  int64 `json:"next"`
}

// streams are what pages of runs listen to.
type streams struct{ runs }

func (s streams) runStream(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	after, ok := number(w, r, "after", -1, 0, math.MaxInt64)
	if !ok {
		return
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || n < 0 {
			refuse(w, http.StatusBadRequest, "Last-Event-ID is not the number of an event", "")
			return
		}
		after = n
	}
	c, leave := s.channels.join(s.runs, one)
	defer leave()
	p := pageStream{server: s.Server, channel: c, out: newEvents(w, r), raw: r.URL.Query().Get("events") == "1", once: once(r), at: after}
	if after < 0 {
		p.at = c.newest()
	}
	if err := p.run(r.Context()); err == nil {
		p.leave()
	} // else the page connects again
}

// errEnough ends the stream of a page that comes again by itself.
var errEnough = errors.New("the page has what there is")

// once tells whether a page wants a stream to end when it has sent what there is. A
// browser opens few connections to one server: pages that got none must not be starved
// by those that have one.
func once(r *http.Request) bool { return r.URL.Query().Get("once") == "1" }

func (p *pageStream) run(ctx context.Context) error {
	for {
		if err := p.sendHead(); err != nil {
			return err
		}
		list, newest, whole, news := p.channel.after(p.at, maxFrame)
		var err error
		switch {
		case p.at >= newest && p.once:
			_ = p.out.rest(strconv.FormatInt(p.at, 10)) // who has gone comes again
			return errEnough
		case p.at >= newest:
			if !p.wait(ctx, news) {
				return ctx.Err()
			}
			if err = p.out.beat(); err == nil {
				continue
			}
		case whole:
			err = p.sendItems(list)
		case newest-p.at <= maxCatchUp:
			err = p.catchUp(ctx, newest)
		default:
			err = p.skipTo(newest)
		}
		if err != nil {
			return err
		}
		select { // at most so many frames a second
		case <-time.After(batchTime):
		case <-ctx.Done():
			return ctx.Err()
		case <-p.server.closing.Done():
			return nil
		}
	}
}

// leaveTime is how long a page is told what it does not know yet, when the server ends.
const leaveTime = closeTime / 2

// leave tells a page, before the server ends, how the run stands now, and that it will
// hear no more: a page that ends with its run must not say for ever that it works.
func (p *pageStream) leave() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.out.r.Context()), leaveTime)
	defer cancel()
	p.channel.catchUp(ctx)
	for ctx.Err() == nil {
		list, newest, whole, _ := p.channel.after(p.at, maxFrame)
		if p.at >= newest {
			break
		}
		var err error
		if whole {
			err = p.sendItems(list)
		} else {
			err = p.skipTo(newest)
		}
		if err != nil {
			return
		}
	}
	p.sent = time.Time{}
	if p.sendHead() == nil {
		_ = p.out.bye(p.server.Farewell) // there is nobody to tell
	}
}

// wait waits until there is something new, or it is time to show that we are there. It
// is false when the page or the server goes.
func (p *pageStream) wait(ctx context.Context, news <-chan struct{}) bool {
	d := heartbeat
	if p.channel.stale(p.head) { // what was held back is due
		d = p.stateTime()
	}
	select {
	case <-news:
	case <-time.After(d):
	case <-ctx.Done():
		return false
	case <-p.server.closing.Done():
		return false
	}
	return true
}

// stateTime is the shortest time between two heads to this page: longer beside many
// pages, as between frames.
func (p *pageStream) stateTime() time.Duration {
	return max(stateTime, p.server.channels.pace(p.channel))
}

// stale tells whether there is a newer head than one.
func (c *channel) stale(version int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version != version
}

// sendHead sends the head of the page, when it has changed and it is time.
func (p *pageStream) sendHead() error {
	if !p.sent.IsZero() && (time.Since(p.sent) < p.stateTime() || !p.channel.stale(p.head)) {
		return nil
	}
	head, state, version := p.channel.head()
	if !p.sent.IsZero() && version == p.head {
		return nil
	}
	was := p.state
	p.head, p.sent, p.state = version, time.Now(), state
	if err := p.out.send("state", "", head); err != nil {
		return err
	}
	if p.state.Ended() && was != p.state {
		return p.out.send("over", "", map[string]loop.Status{"state": p.state})
	}
	return nil
}

// sendItems sends what is at hand.
func (p *pageStream) sendItems(list []*item) error {
	f := frame{First: list[0].event.Seq, Entries: []json.RawMessage{}}
	var lines []ledger.Line
	var done []loop.Event
	for _, one := range list {
		f.Entries = append(f.Entries, one.entries()...)
		f.Last = one.event.Seq
		if _, ok := one.event.Payload.(*loop.IterationFinished); ok {
			done = append(done, one.event)
		}
		if p.raw {
			if b, err := journal.Encode(one.event); err == nil {
				lines = append(lines, ledger.Line{Seq: one.event.Seq, Raw: b})
			}
		}
	}
	return p.send(f, lines, done)
}

// send sends a frame, and what else a page wants to know of it. The number that the page
// goes on from is with the last of them.
func (p *pageStream) send(f frame, lines []ledger.Line, done []loop.Event) error {
	if p.raw && len(lines) > 0 {
		if err := p.out.hold("events", "", rawOf(lines)); err != nil {
			return err
		}
	}
	if len(done) > 0 {
		if err := p.holdAttempts(done); err != nil {
			return err
		}
	}
	p.at = f.Last
	if len(f.Entries) == 0 && len(lines) == 0 && len(done) == 0 {
		return nil // nothing that a page shows
	}
	return p.out.send("entries", strconv.FormatInt(f.Last, 10), f)
}

// holdAttempts tells of attempts that have finished, with what is sent next.
func (p *pageStream) holdAttempts(done []loop.Event) error {
	var rows []ledger.Attempt
	err := p.channel.ledger.Read(func(b *ledger.Book) {
		for _, a := range slices.Backward(b.Attempts) {
			if a.Seq < done[0].Seq {
				break
			}
			if a.Seq <= done[len(done)-1].Seq {
				rows = append(rows, a)
			}
		}
	})
	if err != nil {
		return nil // the page asks for them itself
	}
	for _, a := range slices.Backward(rows) {
		if err := p.out.hold("attempt", "", map[string]any{"row": a}); err != nil {
			return err
		}
	}
	return nil
}

// catchUp sends what a page has missed that is not at hand any more.
func (p *pageStream) catchUp(ctx context.Context, newest int64) error {
	if err := p.channel.ledger.Read(func(*ledger.Book) {}); err != nil {
		return p.skipTo(newest)
	}
	page, err := p.channel.ledger.Page(ctx, ledger.Query{After: p.at, Onward: true, Limit: maxFrame})
	if err != nil || len(page.Lines) == 0 {
		return p.skipTo(newest)
	}
	t := newTeller(startOf(p.channel.one))
	f := frame{First: page.Lines[0].Seq, Entries: []json.RawMessage{}}
	var lines []ledger.Line
	var done []loop.Event
	for _, line := range page.Lines {
		if line.Seq > newest {
			break // the channel has it
		}
		f.Last = line.Seq
		e, err := line.Event()
		if err != nil {
			continue
		}
		f.Entries = append(f.Entries, asJSON(t.tell(e))...)
		if _, ok := e.Payload.(*loop.IterationFinished); ok {
			done = append(done, e)
		}
		if p.raw {
			lines = append(lines, line)
		}
	}
	return p.send(f, lines, done)
}

// skipTo leaves out what comes before an event, and says so.
func (p *pageStream) skipTo(newest int64) error {
	missed := resync{After: p.at, Next: newest + 1}
	p.at = newest
	return p.out.send("resync", strconv.FormatInt(newest, 10), missed)
}
