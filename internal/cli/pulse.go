package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/view"
)

// pulse is the last line of a terminal while a command waits: what for, and that it
// still does. Where there is no terminal it is nothing.
type pulse struct {
	console
	room func() int // nil: there is no terminal
	done chan struct{}
	wg   sync.WaitGroup

	mu   sync.Mutex
	line func() string
}

// wait shows a line until it is told to end. It is asked for anew every second.
func (c console) wait(line func() string) *pulse {
	p := &pulse{console: c, line: line, done: make(chan struct{})}
	if !isTerminal(c.out) {
		return p
	}
	p.room = c.look().Width
	p.draw()
	p.wg.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.draw()
			case <-p.done:
				return
			}
		}
	})
	return p
}

func (p *pulse) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprint(p.out, "\r\x1b[K"+view.Fit(p.line(), max(1, p.room()-1)))
}

// above has something written that stays, above the line.
func (p *pulse) above(write func()) {
	if p.room == nil {
		write()
		return
	}
	p.mu.Lock()
	fmt.Fprint(p.out, "\r\x1b[K")
	write()
	p.mu.Unlock()
	p.draw()
}

// end takes the line away.
func (p *pulse) end() {
	close(p.done)
	p.wg.Wait()
	if p.room != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
