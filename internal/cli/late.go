package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// lateWarnings are what went wrong after the run's last event, such as the
// message that was to tell of it.
type lateWarnings struct {
	mu   sync.Mutex
	list []loop.Warning
}

func (l *lateWarnings) add(w loop.Warning) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, w)
}

func (l *lateWarnings) tell(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, warning := range l.list {
		fmt.Fprintf(w, "WARNING: %s\n", warning.Text)
		if warning.Hint != "" {
			fmt.Fprintf(w, "hint: %s\n", warning.Hint)
		}
	}
}
