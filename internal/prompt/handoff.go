package prompt

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Handoff is what an agent whose session was given up leaves to the one that
// begins afresh.
type Handoff struct {
	State    loop.State
	Open     []string // tasks of the plan
	Failing  []string // tests
	Files    []string // changed in the last iteration
	Commits  []string // the last ones
	MaxBytes int      // of the whole; 0 is no handoff
}

const handoffHeading = "## Where the work stands\n\nAnother session worked on this until its memory was full or it was ended. You begin afresh; this is what it leaves you:\n\n"

// shownEach is how many entries of each kind are handed over at most.
const shownEach = 20

// text is the handoff under its heading, the most useful parts first, as far as
// there is room.
func (h *Handoff) text() string {
	if h == nil || h.MaxBytes <= len(handoffHeading) {
		return ""
	}
	var done []string
	for _, s := range h.State.Summaries {
		done = append(done, fmt.Sprintf("iteration %d: %s", s.Iteration, s.Text))
	}
	t := h.State.Totals
	room := h.MaxBytes - len(handoffHeading)
	said := fmt.Sprintf("So far: iterations %d (%d of them went well), files changed %d, commits %d.\n", t.Iterations, t.OK, t.Files, t.Commits)
	for _, part := range []struct {
		title string
		list  []string
	}{
		{"Failing tests", h.Failing},
		{"Open tasks of the plan", h.Open},
		{"What was done, in its own words", done},
		{"Files changed in the last iteration", h.Files},
		{"Last commits", h.Commits},
	} {
		said += listed(part.title, part.list, room-len(said))
	}
	return handoffHeading + text.Cut(said, room)
}

// listed is a titled list as far as it fits, and nothing when none of it does.
func listed(title string, list []string, room int) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + title + ":\n\n")
	head := b.Len()
	for i, one := range list {
		item := entry("", one)
		if more := len(list) - i; i == shownEach || b.Len()+len(item) > room {
			if note := fmt.Sprintf("- (%d more)\n", more); b.Len() > head && b.Len()+len(note) <= room {
				b.WriteString(note)
			}
			break
		}
		b.WriteString(item)
	}
	if b.Len() == head {
		return ""
	}
	return b.String()
}
