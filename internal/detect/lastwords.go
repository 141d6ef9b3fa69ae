package detect

import (
	"cmp"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// lastWords adds the agent's last words on stderr to a failure that says no more
// than its exit status.
type lastWords struct {
	notice func(line string) bool

	mu    sync.Mutex // they come from another goroutine
	last  string
	error string // the last line that calls itself one
}

// LastWords explains a failure by the last line of the agent's errors. What is a
// notice, which the agent prints however it fares, explains nothing.
func LastWords(notice func(line string) bool) Detector { return &lastWords{notice: notice} }

func (*lastWords) Hear(loop.Payload) []loop.Payload { return nil }

// maxLastWords is how much of a line is told, from its end.
const maxLastWords = 300

// traceLine is what follows an error: where in the program it came from.
var traceLine = text.NewPattern(`^(?:\s+at |Node\.js v\d|[\s{}\[\](),;^~]*$)`)

// Complain takes in a line of the agent's errors.
func (l *lastWords) Complain(line []byte) {
	if len(line) > maxLastWords {
		line = line[len(line)-maxLastWords:]
	}
	said := strings.ToValidUTF8(string(line), "")
	if traceLine().MatchString(said) || l.notice != nil && l.notice(said) {
		return
	}
	said = strings.TrimSpace(said)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last = said; text.IsError(said) {
		l.error = said
	}
}

func (l *lastWords) Report(o *loop.Outcome) []loop.Payload {
	l.mu.Lock()
	defer l.mu.Unlock()
	words := cmp.Or(l.error, l.last)
	if o.Result == loop.Failed && o.Error != nil && o.Error.Kind == loop.ErrAgent && words != "" {
		explained := *o.Error
		explained.Message += ": " + words
		explained.ByExit = false // now somebody has told
		o.Error = &explained
	}
	return nil
}

// Witness says that what was heard holds whatever became of the agent.
func (*lastWords) Witness() {}
