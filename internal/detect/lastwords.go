package detect

import (
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
)

// lastWords adds the agent's last words on stderr to a failure that says no more
// than its exit status.
type lastWords struct {
	mu   sync.Mutex // they come from another goroutine
	last string
}

// LastWords explains a failure by the last line of the agent's errors.
func LastWords() Detector { return &lastWords{} }

func (*lastWords) Hear(loop.Payload) []loop.Payload { return nil }

// maxLastWords is how much of a line is told, from its end.
const maxLastWords = 300

// Complain takes in a line of the agent's errors.
func (l *lastWords) Complain(line []byte) {
	if len(line) > maxLastWords {
		line = line[len(line)-maxLastWords:]
	}
	if text := strings.TrimSpace(strings.ToValidUTF8(string(line), "")); text != "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.last = text
	}
}

func (l *lastWords) Report(o *loop.Outcome) []loop.Payload {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.Result == loop.Failed && o.Error != nil && o.Error.Kind == loop.ErrAgent && l.last != "" {
		explained := *o.Error
		explained.Message += ": " + l.last
		explained.ByExit = false // now somebody has told
		o.Error = &explained
	}
	return nil
}

// Witness says that what was heard holds whatever became of the agent.
func (*lastWords) Witness() {}
