package proc

import (
	"sync"
	"time"
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

	// glance is how long a keeper may be stopped before it is ended: who stops it
	// should not keep a run from going on for long.
	glance time.Duration

	// round is how often the runner looks at its keeper itself. A warden is told when
	// that is stopped, but it may be stopped too.
	round time.Duration
}{
	term:  3 * time.Second,
	kill:  5 * time.Second,
	pipes: 2 * time.Second,
	leave: 2 * time.Second,

	patience: 3 * time.Second,
	glance:   time.Second,
	round:    30 * time.Second,
}

// lastOutput knows when the process was last heard of.
type lastOutput struct {
	mu   sync.Mutex
	last time.Time
	busy int // sinks that are being called
}

// heard is called at every sign of life, and around each call of a sink. While a sink is busy nobody
// reads, so a process behind a screen that is held with Ctrl+S is not silent.
func (o *lastOutput) heard(busy int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = time.Now()
	o.busy += busy
}

// silence is how long nothing has come.
func (o *lastOutput) silence() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy > 0 {
		return 0
	}
	return time.Since(o.last)
}
