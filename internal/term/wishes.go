package term

import (
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// A note is cut here: it may be as long as a letter, and its writer knows it.
const widestNote = 200

// unpaused tells that the run goes on, if that is what it does.
func (n *narrator) unpaused() []fact {
	if n.stopping {
		return nil
	}
	return one(info, "Going on")
}

// received tells of a person's wish. A note has been told when it was added.
func (n *narrator) received(p *loop.CommandReceived) []fact {
	switch effect := text.Line(p.Effect); {
	case p.Refused:
		return one(refusal, "Refused %s: %s", heard(p), effect)
	case p.Command == "note":
		return nil
	case p.Command == "raise":
		return one(info, "Raised: %s", effect)
	default:
		n.stopping = n.stopping || p.Command == "stop"
		return one(info, "Received %s: %s", heard(p), effect)
	}
}

func heard(p *loop.CommandReceived) string {
	if p.Signal != "" {
		return "SIG" + p.Signal
	}
	return text.Line(p.Command)
}
