//go:build unix

package proc

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// kept is a process that the keeper started, and of which it tells.
type kept struct {
	line   *line
	id     int
	name   string
	number int
	warn   func(loop.Warning)

	answer chan report   // to the wish to start
	gone   chan struct{} // closed when it has ended, or the keeper has
	clean  chan struct{} // closed when nothing of it is left
	exit   loop.Exit     // set before gone is closed
	asked  bool          // likewise: a signal had reached it
	lost   string        // what happened to its keeper before it could tell the exit
	left   []int         // set before clean is closed
}

// answerTime is more than any start takes, even from a slow network: a keeper
// that has not answered by then was stopped, and will not answer.
const answerTime = 30 * time.Second

func (l *line) start(r request, files stdio, warn func(loop.Warning)) (process, error) {
	p := &kept{
		line: l, id: r.ID, name: r.Argv[0], warn: warn,
		answer: make(chan report, 1), gone: make(chan struct{}), clean: make(chan struct{}),
	}
	l.mu.Lock()
	l.children[r.ID] = p
	l.mu.Unlock()
	if err := l.send(r, files[:]...); err != nil {
		l.conn.Close() // half a message cannot be taken back
	}
	select {
	case answer := <-p.answer:
		if answer.Errno != 0 {
			p.forget()
			return nil, answer.Errno
		}
		p.number = answer.PID
		return p, nil
	case <-time.After(answerTime):
		l.dismiss("did not answer")
	case <-l.dead:
	}
	p.forget()
	l.mourn(warn)
	return nil, &KeeperError{Program: p.name, How: l.fate}
}

// hear takes in a report. They come in order, and from one goroutine.
func (p *kept) hear(r report) {
	switch r.Of {
	case hasStarted:
		if r.Errno == 0 && !r.Held {
			p.line.mu.Lock()
			p.line.loose = true
			p.line.mu.Unlock()
		}
		p.answer <- r
	case hasExited:
		p.exit, p.asked = exitBy(r.Status), r.Asked
		close(p.gone)
	case isSwept:
		p.left = r.Left
		close(p.clean)
	}
}

// lose is the end of a process whose keeper died: it is killed too.
func (p *kept) lose(how string) {
	select {
	case <-p.gone:
	default:
		p.exit, p.lost = loop.Exit{Signal: "KILL"}, how
		close(p.gone)
	}
}

func (p *kept) forget() {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	delete(p.line.children, p.id)
}

func (p *kept) pid() int { return p.number }

func (p *kept) ended() <-chan struct{} { return p.gone }

func (p *kept) unasked() bool { return !p.asked && p.lost == "" }

// signal asks the keeper, which knows whether the process still has its number.
// When it cannot be asked it is dead, and so is the process soon.
func (p *kept) signal(name string) {
	_ = p.line.send(request{ID: p.id, Do: doSignal, Signal: name})
}

// kill does not take no for an answer, even from the keeper.
func (p *kept) kill() {
	_ = p.line.send(request{ID: p.id, Do: doKill})
	select {
	case <-p.gone:
	case <-time.After(2 * ladder.patience):
		p.line.dismiss("did not answer")
	}
}

// family is all that the keeper keeps: whoever left the process's tree is the
// keeper's own child now.
func (p *kept) family(t table) []entry { return t.below(p.line.keeper.pid) }

func (p *kept) reap() (loop.Exit, error) {
	defer p.forget()
	select {
	case <-p.clean:
	case <-p.line.dead:
		p.line.mourn(p.warn)
	case <-time.After(ladder.leave + 2*ladder.patience): // it gives up earlier
		p.line.dismiss("did not answer")
		p.line.mourn(p.warn)
	}
	if len(p.left) > 0 {
		p.warn(loop.Warning{
			Text: fmt.Sprintf("what process %d started does not end: %v", p.number, p.left),
			Hint: "see with ps what it waits for, or whose it is; resume, or the next run here, tries again",
			Key:  Unkept,
		})
	}
	if p.lost != "" {
		return p.exit, &KeeperError{Program: p.name, How: p.lost}
	}
	return p.exit, nil
}
