package term

import (
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Output shows the events of a run as they happen. Plain, Quiet, JSON and Auto
// make one.
type Output interface {
	// Observe is called by one goroutine at a time.
	Observe(e loop.Event)
	// Close leaves the screen tidy. It may be called more than once.
	Close()
}

// Options are what a screen can do.
type Options struct {
	Width func() int // in cells, asked at every drawing; nil or 0 is not known
	Color bool
	Now   func() time.Time // nil is time.Now
}

func (o Options) width() int {
	if o.Width == nil {
		return 0
	}
	return o.Width()
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// style is a way to set text off, as a terminal's code for it.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// paint sets text off where there is colour.
func (o Options) paint(s style, text string) string {
	if !o.Color || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
