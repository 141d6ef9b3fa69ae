package engine

import (
	"context"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// patience ends an agent that does nothing but try a request again. Some do so for
// hours, and nobody else can work meanwhile: the run waits better than the agent
// does, for it shares the limit and lets another agent go on.
//
//	a retry              it is trying, since the first one in a row
//	  its wait is known  it is ended if that would outlast the patience; when it has
//	                     passed, the agent asks, and an answer may take its time
//	  it is not          it is ended when nothing has come by then, or by when it
//	                     would have tried of its own accord: somebody told it to wait
//	an answer            it works again
type patience struct {
	most  time.Duration // 0: as long as the agent has
	clock Clock
	end   context.CancelCauseFunc
	busy  func() bool // it has a tool at work: then it does not wait to ask

	tokens int // that it had used at its last report

	mu    sync.Mutex
	since time.Time // of the first try in a row; zero: it works
	next  time.Time // when it said that it will try again
	stop  func()    // the clock that runs out; nil: none does
}

// Hear looks at what the agent tells. Only what comes of an answer ends a row of
// tries: a tool that was begun before them may end among them.
func (p *patience) Hear(said loop.Payload) []loop.Payload {
	switch said := said.(type) {
	case *loop.AgentRetry:
		p.tried(said.After.Duration(), said.Within.Duration())
	case *loop.AgentLimit:
		p.limited(said.Limit.Until)
	case *loop.AgentText, *loop.AgentTool, *loop.AgentResult:
		p.answered()
	case *loop.AgentUsage:
		if n := said.Usage.Tokens(); n > p.tokens { // else it is a request that failed
			p.tokens = n
			p.answered()
		}
	}
	return nil
}

func (*patience) Report(*loop.Outcome) []loop.Payload { return nil }

// tried takes in a try that comes after a wait; 0 is one of unknown length, which ends
// within some time, if that is known.
func (p *patience) tried(after, within time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if p.since.IsZero() {
		p.since = now
	}
	p.next = now.Add(after)
	p.quiet()
	if p.weigh() && after == 0 {
		left := p.since.Add(p.most).Sub(now)
		if within > 0 {
			left = min(left, within)
		}
		p.stop = p.clock.AfterFunc(left, p.over)
	}
}

// limited is for an agent that does not say when it will try again: before the limit
// ends, that is in vain.
func (p *patience) limited(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.since.IsZero() && until.After(p.next) {
		p.next = until
		p.weigh()
	}
}

// weigh ends the agent if the row of tries lasts too long, or will. It tells whether
// there is patience left that may run out.
func (p *patience) weigh() bool {
	if p.most == 0 {
		return false
	}
	over := p.since.Add(p.most)
	if p.next.After(over) || !p.clock.Now().Before(over) {
		p.end(proc.End(loop.OnRetry))
		return false
	}
	return true
}

// over follows a wait of unknown length.
func (p *patience) over() {
	if p.busy != nil && p.busy() {
		p.answered()
		return
	}
	p.end(proc.End(loop.OnRetry))
}

func (p *patience) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since, p.next = time.Time{}, time.Time{}
	p.quiet()
}

// close has nobody be ended any more.
func (p *patience) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet()
}

func (p *patience) quiet() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// waits tells that the agent is silent because it waits to try again.
func (p *patience) waits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stop != nil || !p.since.IsZero() && p.clock.Now().Before(p.next)
}
