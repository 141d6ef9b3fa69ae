package detect

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/text"
)

// unseen are characters that nobody sees: byte order marks and spaces without
// width. They must not make a tag share its line with nothing.
var unseen = strings.NewReplacer("\uFEFF", "", "\u200B", "", "\u200C", "", "\u200D", "", "\u2060", "")

// lines gives the lines of a text as a person sees them: without line endings,
// terminal escapes and characters that have no looks.
func lines(said string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(strings.TrimSuffix(said, "\n"), "\n") {
			line = text.StripEscapes(line)
			if !ascii(line) {
				line = unseen.Replace(line)
			}
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
		}
	}
}

func ascii(line string) bool {
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
