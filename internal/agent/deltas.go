package agent

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// maxLine bounds a line that is put together from pieces.
const maxLine = 1 << 20

// deltas puts a text together that comes in pieces. A line is reported when it
// is whole: a claim stands on a line of its own, so half a line must not pass
// for one.
type deltas struct {
	line []byte // the last one, not ended yet
	cut  bool   // it is too long, and its rest is left out
}

// add takes the next piece.
func (d *deltas) add(r *report, piece string) {
	r.wentOn()
	head, rest, ended := strings.Cut(piece, "\n")
	d.extend(head)
	if !ended {
		return
	}
	d.tell(r)
	if end := strings.LastIndexByte(rest, '\n'); end >= 0 {
		r.add(&loop.AgentText{Text: rest[:end]})
		rest = rest[end+1:]
	}
	d.extend(rest)
}

// flush reports what is left when the agent goes on to something else.
func (d *deltas) flush(r *report) {
	if len(d.line) > 0 {
		d.tell(r)
	}
}

func (d *deltas) extend(text string) {
	if room := maxLine - len(d.line); len(text) > room {
		text, d.cut = text[:room], true
	}
	d.line = append(d.line, text...)
}

func (d *deltas) tell(r *report) {
	r.add(&loop.AgentText{Text: text.Valid(string(d.line)), Cut: d.cut})
	d.line, d.cut = d.line[:0], false
}
