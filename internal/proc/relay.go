package proc

import (
	"sync/atomic"
	"time"
)

// relayed is a process that is only the client of the one that is meant, which
// others have started: a signal to the client would not reach it.
type relayed struct {
	process
	relay func(signal string)
	asked atomic.Bool
}

func (p *relayed) signal(name string) {
	select {
	case <-p.ended():
		return
	default:
	}
	p.asked.Store(true)
	p.relay(name)
}

// kill ends the one that is meant, and its client when that does not notice.
func (p *relayed) kill() {
	p.signal("KILL")
	select {
	case <-p.ended():
	case <-time.After(ladder.patience):
		p.process.kill()
	}
}

func (p *relayed) unasked() bool { return !p.asked.Load() }
