package app

import (
	"io"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/steer"
)

const (
	// waitingRoom is how much may wait for a reader who takes nothing: a pipe that
	// nobody reads, or a terminal that was stopped with Ctrl+S. More than that, and
	// the run waits with it.
	waitingRoom = 16 << 20

	pipeSize = 64 << 10

	// lastPatience is how long such a reader is waited for when the run is to end.
	lastPatience = time.Second
)

// Patient is a stream to somebody who may not read. Whoever writes goes on at
// once, and when the run is to end nobody waits for the reader: what there is no
// room for then is lost to it, and stands in the journal.
type Patient struct {
	to   io.Writer
	room int
	gone chan struct{} // closed when all that could be written is

	mu      sync.Mutex
	news    *sync.Cond // something was added or taken, or time has passed
	waiting []byte
	taken   time.Time // when the reader last took something
	hurried bool      // the run is to end
	closed  bool      // no more is written
	err     error
}

// NewPatient makes a stream to somebody. It must be closed.
func NewPatient(to io.Writer) *Patient {
	p := &Patient{to: to, room: waitingRoom, gone: make(chan struct{}), taken: time.Now()}
	p.news = sync.NewCond(&p.mu)
	go p.carry() // until it is closed; one that nobody reads ends with the program
	return p
}

// Write never keeps what it was given. Its error is that of an earlier one.
func (p *Patient) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	full := func() bool { return len(p.waiting) > 0 && len(p.waiting)+len(b) > p.room }
	for full() && p.err == nil && !p.deserted() {
		p.wait()
	}
	if p.err == nil && !full() && !p.closed {
		p.waiting = append(p.waiting, b...)
		p.news.Broadcast()
	}
	return len(b), p.err
}

// deserted tells whether the reader is not to be waited for any longer.
func (p *Patient) deserted() bool { return p.hurried && time.Since(p.taken) >= lastPatience }

// carry hands on what waits, in pieces that a pipe holds.
func (p *Patient) carry() {
	defer close(p.gone)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.waiting) == 0 && !p.closed {
			p.news.Wait()
		}
		if len(p.waiting) == 0 {
			return
		}
		piece := slices.Clone(p.waiting[:min(len(p.waiting), pipeSize)])
		p.mu.Unlock()
		_, err := p.to.Write(piece)
		p.mu.Lock()
		p.waiting = p.waiting[len(piece):]
		if p.taken = time.Now(); err != nil {
			p.err, p.waiting = err, nil
		}
		p.news.Broadcast()
	}
}

// Close waits until all is read, as long as somebody reads.
func (p *Patient) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.hurryLocked()
	for len(p.waiting) > 0 && !p.deserted() {
		p.wait()
	}
}

func (p *Patient) hurryLocked() {
	p.hurried, p.taken = true, time.Now()
	p.news.Broadcast()
}

// wait waits for news, of which the time that passes is some when the run is to
// end.
func (p *Patient) wait() {
	if p.hurried {
		defer time.AfterFunc(lastPatience/10, p.news.Broadcast).Stop()
	}
	p.news.Wait()
}

// hurry is for one run: it says that the run is to end when a person wants that, or
// the run's time is over. Nothing of the engine's is asked, for all of it may be
// waiting for the reader. The function that it returns ends the watching. What
// was said of an earlier run is taken back; what comes after a run that was to
// end, such as its card, waits no longer than that did.
func (p *Patient) hurry(control *steer.Control, left time.Duration) func() {
	p.mu.Lock()
	p.hurried = p.closed
	p.mu.Unlock()
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var late <-chan time.Time
		if left > 0 {
			late = time.After(left)
		}
		select {
		case <-over:
			return
		case <-control.Stopping():
		case <-late:
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.hurryLocked()
	})
	return func() {
		close(over)
		wg.Wait()
	}
}

// Fd is that of the file behind it, for who asks whether it is a terminal.
func (p *Patient) Fd() uintptr {
	if f, ok := p.to.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Behind is the stream itself, for a program that is to have it for a while.
func (p *Patient) Behind() io.Writer { return p.to }
