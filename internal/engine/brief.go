package engine

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// How much of one text, and of one tool's result, is written down as an event.
// The transcript beside it has everything.
const (
	longestText   = 64 << 10
	longestOutput = 4 << 10
)

// brief is a payload as it is written down: with what is long cut.
func brief(p loop.Payload) loop.Payload {
	switch p := p.(type) {
	case *loop.AgentText:
		if len(p.Text) > longestText {
			return &loop.AgentText{Text: text.Cut(p.Text, longestText), Cut: true}
		}
	case *loop.AgentToolResult:
		if len(p.Output) > longestOutput {
			short := *p
			short.Output = text.Cut(p.Output, longestOutput) + "…"
			return &short
		}
	}
	return p
}

// joinedText is how long texts get that are made one event. An agent that
// prints a line of two bytes has not said something a hundred bytes long.
const joinedText = 4 << 10

// joined makes one of texts that follow each other: whole lines each, they are
// whole lines together.
func joined(said []loop.Payload) []loop.Payload {
	kept := said[:0]
	var group []string
	size := 0
	end := func() {
		if len(group) > 0 {
			kept = append(kept, &loop.AgentText{Text: strings.Join(group, "\n")})
			group, size = group[:0], 0
		}
	}
	for _, p := range said {
		text, ok := p.(*loop.AgentText)
		if !ok || text.Cut {
			end()
			kept = append(kept, p)
			continue
		}
		if size+len(text.Text) >= joinedText {
			end()
		}
		group = append(group, text.Text)
		size += len(text.Text) + 1
	}
	end()
	return kept
}
