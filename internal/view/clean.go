package view

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// escapes are the sequences that a terminal obeys instead of showing: colours
// and cursor moves, strings for the terminal itself, and short commands. A
// string without an end loses only its first two characters, so that an agent
// cannot hide the rest of what it says.
var escapes = regexp.MustCompile(
	"(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
		"|\x1b[\\]PX^_][^\a\x1b\n]*(?:\a|\x1b\\\\)" +
		"|\x1b[ -/]*[0-~]")

// Clean makes text from an agent safe to show: no escape sequences, no control
// characters, nothing that turns the direction of the text around, only valid
// UTF-8. Lines stay lines; a tab becomes four spaces.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	s = escapes.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s { // a broken byte comes as U+FFFD
		switch {
		case r == '\r' || isSeparator(r):
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case !isHarmful(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is Clean for text that must stay on one line.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Fit gives s as one clean line of at most width cells, cut with an ellipsis.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(Line(s), width, "…")
}

func isClean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return isHarmful(r) || isSeparator(r)
	})
}

// isHarmful tells whether a screen could take r for more than a picture.
func isHarmful(r rune) bool {
	return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// isSeparator tells the line ends of Unicode, which some screens obey and
// others do not.
func isSeparator(r rune) bool { return r == '\u2028' || r == '\u2029' }
