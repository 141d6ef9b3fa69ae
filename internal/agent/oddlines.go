package agent

import (
	"bytes"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// oddLines put down a stream in another way than one event on each line: an event on
// many, indented for people, or several on one, or one behind what somebody else has
// printed. Wrappers, pipes and terminals do that. Only what could not be read as it is
// comes here, so that a stream as agents print it pays nothing.
type oddLines struct {
	block []byte // the lines of a value that is not whole yet
	depth int    // of its brackets that are open
	whole bool   // its last line was a whole object by itself
}

// maxBlock bounds a value on many lines.
const maxBlock = 16 << 20

// odd reads a line that is no event.
func (d *jsonDecoder) odd(line []byte) []loop.Payload {
	switch said := bytes.TrimSpace(line); {
	case string(said) == "{", string(said) == "[", bytes.HasPrefix(said, []byte("[{")):
		return d.gather(line)
	case !d.glued(bytes.TrimPrefix(said, []byte("\ufeff"))):
		d.stray(line)
	}
	return d.report.take()
}

// stray takes in a line that is in nobody's dialect.
func (d *jsonDecoder) stray(line []byte) {
	d.grumble(line)
	d.report.stray(line)
}

// more reads a line while a value on many lines is not whole. An event as agents print
// it ends that: it was none.
func (d *jsonDecoder) more(line []byte) []loop.Payload {
	o, said := &d.lines, bytes.TrimSpace(line)
	inList := bytes.TrimLeft(o.block, " \t")[0] == '['
	_, whole := d.parser.parse(line)
	whole = whole && line[0] == '{'
	goesOn := len(said) > 0 && (said[0] == ']' || said[0] == ',')
	if whole && !inList || inList && o.whole && !goesOn {
		d.scatter()
		return append(d.report.take(), d.Decode(line)...)
	}
	o.whole = whole
	return d.gather(line)
}

// gather takes a line of a value on many, and hears it when it is whole.
func (d *jsonDecoder) gather(line []byte) []loop.Payload {
	o := &d.lines
	o.block = append(append(o.block, line...), '\n')
	o.depth += opened(line)
	if o.depth > 0 && len(o.block) < maxBlock {
		return nil
	}
	v, ok := d.parser.parse(o.block)
	if o.depth > 0 || !ok {
		d.scatter()
		return d.report.take()
	}
	d.lines = oddLines{}
	return d.hear(v)
}

// scatter gives up a value on many lines, which was cut, or is none.
func (d *jsonDecoder) scatter() {
	block := d.lines.block
	d.lines = oddLines{}
	for line := range bytes.Lines(block) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if v, ok := d.parser.parse(line); ok && line[0] == '{' {
			d.dialect.event(v, &d.report)
			continue
		}
		d.stray(line)
	}
}

// glued hears the events on one line, which may stand behind something else. What
// stands behind them must not be the rest of something: then they are its parts.
func (d *jsonDecoder) glued(line []byte) bool {
	at := bytes.IndexByte(line, '{')
	if at < 0 || bytes.IndexByte(line[:at], '"') >= 0 {
		return false
	}
	before, rest := line[:at], line[at:]
	var events [][]byte
	for end := objectEnd(rest); end > 0; end = objectEnd(rest) {
		v, ok := d.parser.parse(rest[:end])
		if !ok || !v.has("type") && !v.has("role") {
			return false
		}
		events = append(events, rest[:end])
		rest = bytes.TrimSpace(rest[end:])
	}
	if len(events) == 0 || at > 0 && len(rest) > 0 {
		return false
	}
	if text.Line(string(before)) != "" { // else it colours a terminal
		d.stray(before)
	}
	for _, event := range events {
		v, _ := d.parser.parse(event) // which it did before
		d.dialect.event(v, &d.report)
	}
	if len(rest) > 0 {
		d.stray(rest)
	}
	return true
}

// objectEnd is where the object ends with which a line begins; 0: nowhere.
func objectEnd(line []byte) int {
	if len(line) == 0 || line[0] != '{' {
		return 0
	}
	end := 0
	eachBracket(line, func(at, depth int) bool {
		if depth == 0 {
			end = at + 1
		}
		return depth > 0
	})
	return end
}

// opened is how many brackets a line opens and does not close.
func opened(line []byte) (net int) {
	eachBracket(line, func(_, depth int) bool {
		net = depth
		return true
	})
	return net
}

// eachBracket visits the brackets of a line that stand in no string, and tells how many
// are open then.
func eachBracket(line []byte, visit func(at, depth int) bool) {
	depth, quoted := 0, false
	for at := 0; at < len(line); at++ {
		switch c := line[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			if !visit(at, depth) {
				return
			}
		case c == '}' || c == ']':
			depth--
			if !visit(at, depth) {
				return
			}
		}
	}
}
