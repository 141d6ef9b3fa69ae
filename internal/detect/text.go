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
		bare := isASCII(said) && strings.IndexByte(said, '\x1b') < 0 // nearly always: nothing to take out
		for line := range strings.SplitSeq(strings.TrimSuffix(said, "\n"), "\n") {
			if !bare {
				line = text.StripEscapes(line)
				if !isASCII(line) {
					line = unseen.Replace(line)
				}
			}
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
		}
	}
}

func isASCII(line string) bool {
	for len(line) >= 8 { // eight at a time
		if line[0]|line[1]|line[2]|line[3]|line[4]|line[5]|line[6]|line[7] >= utf8.RuneSelf {
			return false
		}
		line = line[8:]
	}
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
