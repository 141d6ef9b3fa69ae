package gate

import (
	"io"
	"sync"

	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	// tailSize is how much of the end of an output is shown to others.
	tailSize = 4 << 10

	// keptSize is how much of either end is kept to look for what went wrong.
	keptSize = 32 << 10
)

// output takes what a gate prints on both streams. It holds a bounded part of
// it, whatever comes.
type output struct {
	mu     sync.Mutex // the streams are read at the same time
	log    io.Writer
	parser *tests.Parser
	head   []byte
	tail   []byte // at most twice keptSize, so that it need not be moved for every line
}

func newOutput(log io.Writer) *output { return &output{log: log, parser: tests.New()} }

// sink is for one of the two streams. The log gets bytes as they come, the
// others whole lines, so that no line of one stream lands within one of the
// other.
func (o *output) sink() proc.Sink {
	s := proc.Sink{Line: o.line}
	if o.log != nil {
		s.Raw = o
	}
	return s
}

// Write writes to the log.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.Write(data)
}

func (o *output) line(line []byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(line)
	if !more {
		o.add([]byte{'\n'})
	}
}

func (o *output) add(data []byte) {
	_, _ = o.parser.Write(data) // it never fails
	o.head = append(o.head, data[:min(len(data), keptSize-len(o.head))]...)
	o.tail = append(o.tail, data[max(0, len(data)-keptSize):]...)
	if excess := len(o.tail) - keptSize; excess > keptSize {
		o.tail = append(o.tail[:0], o.tail[excess:]...)
	}
}

// report is what test runners said.
func (o *output) report() *tests.Report {
	report, seen := o.parser.Report()
	if !seen {
		return nil
	}
	return &report
}

// telling is the first line that says what is missing, as far as lines are
// kept.
func (o *output) telling() string {
	if line := telling(text.Printed(string(o.head))); line != "" {
		return line
	}
	return telling(text.Printed(string(o.tail)))
}

// end is the last lines of the output.
func (o *output) end() string { return text.LastLines(text.Printed(unwrap(string(o.tail))), tailSize) }
