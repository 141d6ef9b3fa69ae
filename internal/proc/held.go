package proc

import (
	"io"
	"sync"
)

// Held is a stdin that says nothing and stays open until it is let go, or until the
// process has ended. A process that reads it ends with us, however we end.
type Held struct {
	once sync.Once
	free chan struct{}
}

// NewHeld makes one that is held.
func NewHeld() *Held { return &Held{free: make(chan struct{})} }

// Release ends it.
func (h *Held) Release() { h.once.Do(func() { close(h.free) }) }

func (h *Held) Read([]byte) (int, error) {
	<-h.free
	return 0, io.EOF
}
