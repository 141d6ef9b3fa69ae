package term

import (
	"io"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Transcript shows what an agent said and did, without the runner's own words:
// its text, and its tool calls as one line each.
func Transcript(w io.Writer, opt Options) Output { return &transcript{w: w, opt: opt} }

type transcript struct {
	w   io.Writer
	opt Options
}

func (t *transcript) Observe(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.AgentText:
		_, _ = io.WriteString(t.w, said(p, t.opt))
	case *loop.AgentTool:
		_, _ = io.WriteString(t.w, toolLine(p, t.opt))
	}
}

func (t *transcript) Close() {}
