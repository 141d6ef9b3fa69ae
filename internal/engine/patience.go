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
//	a retry            it is trying, since the first one in a row
//	an answer          it works again
//	would outlast most it is ended
type patience struct {
	most  time.Duration // 0: as long as the agent has
	clock Clock
	end   context.CancelCauseFunc

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
		p.tried(p.clock.Now().Add(said.After.Duration()))
	case *loop.AgentLimit:
		p.limited(said.Limit.Until)
	case *loop.AgentText, *loop.AgentTool, *loop.AgentUsage, *loop.AgentResult:
		p.answered()
	}
	return nil
}

func (*patience) Report(*loop.Outcome) []loop.Payload { return nil }

func (p *patience) tried(next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		p.since = p.clock.Now()
	}
	p.weigh(next)
}

// limited is for an agent that does not say when it will try again: before the limit
// ends, that is in vain.
func (p *patience) limited(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.since.IsZero() && until.After(p.next) {
		p.weigh(until)
	}
}

func (p *patience) weigh(next time.Time) {
	p.next = next
	if p.most == 0 {
		return
	}
	now, over := p.clock.Now(), p.since.Add(p.most)
	if next.After(over) || !now.Before(over) {
		p.end(proc.End(loop.OnRetry))
		return
	}
	if p.stop == nil {
		p.stop = p.clock.AfterFunc(over.Sub(now), func() { p.end(proc.End(loop.OnRetry)) })
	}
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
	return !p.since.IsZero() && (p.most > 0 || p.clock.Now().Before(p.next))
}
