package prompt

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Feedback says how much of the run's past the next agent hears.
type Feedback struct {
	Enabled   bool
	MaxTokens int // of the whole block, estimated; 0 is no limit
	Summaries int // how many iterations' own words
}

const (
	feedbackHeading = "## What happened so far\n\n"
	seenHeading     = "The runner saw this in the last iteration. Deal with it first:\n\n"
	saidHeading     = "Earlier iterations said this of their work. Check it against the files before you rely on it, and do not repeat what was already tried:\n\n"
	leftOut         = "(%d older entries are left out here.)\n"
)

// text is the feedback without its heading, or nothing when there is nothing to
// say or no room to say it. The newest entries are kept, and what the runner saw
// goes before what the agents said.
func (f Feedback) text(s loop.State, gates []string) string {
	if !f.Enabled {
		return ""
	}
	var seen, said []string
	for _, text := range gates {
		seen = append(seen, entry("", text))
	}
	for _, one := range s.Feedback {
		seen = append(seen, entry(labels[one.Kind], one.Text))
	}
	for _, one := range s.Summaries[len(s.Summaries)-min(len(s.Summaries), f.Summaries):] {
		said = append(said, entry(fmt.Sprintf("Iteration %d: ", one.Iteration), one.Text))
	}
	all := len(seen) + len(said)
	if all == 0 {
		return ""
	}
	room := f.room()
	seen, room = newest(seen, room-len(seenHeading))
	said, _ = newest(said, room-len(saidHeading))
	return told(seen, said, all-len(seen)-len(said))
}

// room is how many bytes of entries fit, our own words taken off.
func (f Feedback) room() int {
	if f.MaxTokens <= 0 {
		return int(^uint(0) >> 1)
	}
	return int(float64(f.MaxTokens)*bytesPerToken) - len(feedbackHeading) - len(fmt.Sprintf(leftOut, 100)) - len("\n\n")
}

func told(seen, said []string, missing int) string {
	if len(seen)+len(said) == 0 {
		return ""
	}
	var blocks []string
	if len(seen) > 0 {
		blocks = append(blocks, seenHeading+strings.Join(seen, ""))
	}
	if len(said) > 0 {
		blocks = append(blocks, saidHeading+strings.Join(said, ""))
	}
	if missing > 0 {
		blocks = append(blocks, fmt.Sprintf(leftOut, missing))
	}
	return strings.Join(blocks, "\n")
}

// labels lead into a text that does not stand for itself.
var labels = map[string]string{
	"near_miss": "Not heard as a claim: ",
}

// entry is one list item. Further lines are set in as code is, so that nothing
// in them reads as ours, or as a claim when an agent repeats its prompt.
func entry(label, text string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	item := "- " + label + first + "\n"
	if !more {
		return item
	}
	for line := range strings.SplitSeq(rest, "\n") {
		item += "    " + line + "\n"
	}
	return item
}

// shortest is the least of an entry that is worth showing.
const shortest = 80

// newest keeps the entries at the end that fit into room bytes, and gives the
// room that is left. The newest is cut rather than lost.
func newest(entries []string, room int) ([]string, int) {
	from := len(entries)
	for from > 0 && len(entries[from-1]) <= room {
		from--
		room -= len(entries[from])
	}
	kept := entries[from:]
	if len(kept) == 0 && len(entries) > 0 && room >= shortest {
		return []string{cut(entries[len(entries)-1], room)}, 0
	}
	return kept, room
}

// cut shortens an entry to at most limit bytes, never inside a character.
func cut(entry string, limit int) string {
	const mark = " … (cut)\n"
	return strings.TrimRight(text.Cut(entry, limit-len(mark)), " \n") + mark
}
