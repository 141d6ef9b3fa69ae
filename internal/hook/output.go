package hook

import (
	"io"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/text"
)

const (
	// keptSize is how much of the end of a stream is kept, whatever comes.
	keptSize = 4 << 10

	// maxSaid is how long the last line may be in a warning.
	maxSaid = 240
)

// output takes what a hook prints.
type output struct {
	mu  sync.Mutex // the streams are read at the same time
	log io.Writer

	stdout, stderr []byte // the end of each; at most twice keptSize, so that it is rarely moved
}

// stream takes what comes on one stream and keeps its end.
func (o *output) stream(end *[]byte) io.Writer {
	return writer(func(data []byte) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.log != nil {
			_, _ = o.log.Write(data) // a hook must not hang because a disk is full
		}
		*end = append(*end, data[max(0, len(data)-keptSize):]...)
		if excess := len(*end) - keptSize; excess > keptSize {
			*end = append((*end)[:0], (*end)[excess:]...)
		}
	})
}

type writer func([]byte)

func (w writer) Write(data []byte) (int, error) {
	w(data)
	return len(data), nil
}

// said is the last line of what was printed, where what went wrong is most
// likely to be told: on stderr, if anything is there.
func (o *output) said() string {
	if line := lastLine(o.stderr); line != "" {
		return line
	}
	return lastLine(o.stdout)
}

// lastLine is the last line that shows anything, as plain text of bounded
// length.
func lastLine(out []byte) string {
	last := ""
	for line := range strings.FieldsFuncSeq(text.StripEscapes(string(out)), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = text.Line(line); line != "" {
			last = line
		}
	}
	return text.Shorten(last, maxSaid)
}
