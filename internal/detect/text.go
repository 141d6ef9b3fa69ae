package detect

import (
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

// escapes are the terminal sequences that programs colour their text with.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[ -/]*[0-~]")

// unseen are characters that nobody sees: byte order marks and spaces without
// width. They must not make a tag share its line with nothing.
var unseen = strings.NewReplacer("\uFEFF", "", "\u200B", "", "\u200C", "", "\u200D", "", "\u2060", "")

// lines gives the lines of a text as a person sees them: without line endings,
// terminal escapes and characters that have no looks.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if strings.Contains(line, "\x1b") {
				line = escapes.ReplaceAllString(line, "")
			}
			if !ascii(line) {
				line = unseen.Replace(line)
			}
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
		}
	}
}

// fold makes every run of white space one space, and none at the ends.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut shortens a text to at most limit bytes, never inside a character.
func cut(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	return loop.Cut(text, limit-len(mark)) + mark
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
