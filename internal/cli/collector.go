package cli

import (
	"os"
	"runtime/debug"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// collector has Go's collector look less often while an agent says very much. Of what
// is said then next to nothing is kept, so most looks find the little that they found
// before. A limit sees to it that no more memory is taken than a runner may have, and
// a runner that waits is as small as ever.
type collector struct {
	until   time.Time // the second that is counted ends then
	heard   int       // in it
	flooded bool
	tune    func(percent int, limit int64)
}

const (
	// floodEvents is how many events of an agent's in a second are a flood. No model
	// writes so fast; programs do, and what a tool printed all at once.
	floodEvents = 200

	floodPercent, calmPercent = 400, 100

	floodLimit, calmLimit = 36 << 20, 1<<63 - 1
)

// newCollector is nil where the user has set Go's collector.
func newCollector() *collector {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return &collector{tune: func(percent int, limit int64) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}}
}

// Observe counts what the agent says.
func (c *collector) Observe(e loop.Event) {
	if e.Type() == "agent.exited" {
		c.set(false)
		c.until, c.heard = time.Time{}, 0
		return
	}
	if e.Type().Kept() {
		return
	}
	if e.Time.After(c.until) {
		if c.heard < floodEvents {
			c.set(false)
		}
		c.until, c.heard = e.Time.Add(time.Second), 0
	}
	if c.heard++; c.heard == floodEvents {
		c.set(true)
	}
}

func (c *collector) set(flooded bool) {
	if c.flooded == flooded {
		return
	}
	c.flooded = flooded
	if flooded {
		c.tune(floodPercent, floodLimit)
		return
	}
	c.tune(calmPercent, calmLimit)
}
