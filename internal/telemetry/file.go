package telemetry

import (
	"fmt"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// settleTime is the shortest time between two writes of the file: those who
// collect it look every few seconds.
const settleTime = time.Second

// keep writes the file when something has changed, and at the end. It says once
// that it cannot.
func (m *Metrics) keep(path string) {
	told := false
	for closing := false; !closing; {
		select {
		case <-m.changed:
		case <-m.done:
			closing = true
		}
		if err := replace(path, m.text()); err != nil && !told && m.warn != nil {
			told = true
			m.warn(loop.Warning{
				Text: fmt.Sprintf("metrics.file cannot be written: %v", err),
				Hint: "make its folder, or name one that you can write to; the run goes on, and writing is tried again",
			})
		}
		if !closing {
			m.settle()
		}
	}
}

// settle lets a second pass, unless the run ends.
func (m *Metrics) settle() {
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.done:
	}
}

// replace puts b in the place of a file in one piece. The collector that reads
// it runs as another user, so everybody may; and takes every file that ends in
// .prom, so the new one has another name until it is whole.
func replace(path string, b []byte) error { return files.Replace(path, b, 0o644, files.NoSync) }
