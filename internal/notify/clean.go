package notify

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/loop"
)

// How long a message may be. It is read on a phone, and no server takes less.
const (
	maxTitle = 200
	maxWhy   = 600
	maxText  = 2000
)

// escapes are the sequences that a terminal obeys instead of showing.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]")

// cleanText makes text that an agent or a server may have written safe to show:
// no control characters, nothing that turns the direction of writing around,
// bounded. Lines stay lines.
func cleanText(s string) string {
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	return cut(strings.TrimSpace(s), maxText)
}

// cleanLine is cleanText on one line.
func cleanLine(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }

// cut shortens a text to at most most bytes, and shows that it did.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return loop.Cut(s, most-len("…")) + "…"
}
