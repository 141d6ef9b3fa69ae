package proc

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// ladder is how long a process is given to end before it is made to. Most
// agents clean up on the first signal and take a second or two for it. The
// tests of this package shorten it; nothing else changes it.
var ladder = struct {
	term  time.Duration // after the first signal: TERM, for those that ignore it
	kill  time.Duration // after the first signal: KILL
	pipes time.Duration // after the end: how long a pipe that somebody holds is read

	// leave is how long what a process left behind is given after TERM: a git
	// that is in the middle of a commit takes its locks away in that time.
	leave time.Duration

	// patience is how long we try to end who survives KILL: such a process
	// waits for a broken disk or belongs to another user.
	patience time.Duration

	// glance is how often the keeper is looked at: who stops it should not keep
	// a run from going on for long.
	glance time.Duration
}{
	term:  3 * time.Second,
	kill:  5 * time.Second,
	pipes: 2 * time.Second,
	leave: 2 * time.Second,

	patience: 3 * time.Second,
	glance:   time.Second,
}

// firstSignal checks the name of the first signal of the ladder.
func firstSignal(name string) (string, error) {
	switch name {
	case "":
		return "TERM", nil
	case "INT", "TERM", "HUP":
		return name, nil
	}
	return "", fmt.Errorf("first signal %q: it must be INT, TERM or HUP", name)
}

// await waits until the process has ended or one of its limits is reached, and
// tells which. It gives loop.Exited when the process ended by itself.
func (c *child) await(ctx context.Context, timeout, idle time.Duration) loop.Cause {
	var deadline, quiet <-chan time.Time
	if timeout > 0 {
		deadline = time.After(timeout - time.Since(c.at))
	}
	if idle > 0 {
		quiet = time.After(look(idle, c.pulse.silence()))
	}
	for {
		select {
		case <-c.ended():
			return loop.Exited
		case <-ctx.Done():
			return causeOf(ctx)
		case <-deadline:
			return loop.AtDeadline
		case <-quiet:
			if c.busy != nil && c.busy() {
				c.pulse.heard(0)
			}
			silence := c.pulse.silence()
			if silence >= idle {
				return loop.WhenIdle
			}
			quiet = time.After(look(idle, silence))
		}
	}
}

// look is when to look again at a process that has been silent for so long:
// some times before it counts as idle, since whether it uses a processor shows
// only between two looks.
func look(idle, silence time.Duration) time.Duration {
	return min(idle-silence, max(idle/8, 10*time.Millisecond), 15*time.Second)
}

// climb ends the process, each rung harder than the one before.
func (c *child) climb(first string) {
	term, kill := time.After(ladder.term), time.After(ladder.kill)
	c.signal(first)
	for {
		select {
		case <-c.ended():
			return
		case <-term:
			if first != "TERM" {
				c.signal("TERM")
			}
		case <-kill:
			c.kill()
			<-c.ended()
			return
		}
	}
}

// pulse knows when the process was last heard of.
type pulse struct {
	mu   sync.Mutex
	last time.Time
	busy int // sinks that are being called
}

// heard is called at every sign of life, and around each call of a sink. While a sink is busy nobody
// reads, so a process behind a screen that is held with Ctrl+S is not silent.
func (p *pulse) heard(busy int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	p.busy += busy
}

// silence is how long nothing has come.
func (p *pulse) silence() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy > 0 {
		return 0
	}
	return time.Since(p.last)
}
