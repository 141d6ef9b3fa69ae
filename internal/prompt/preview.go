package prompt

import (
	"strings"
	"unicode"
)

// Preview is the beginning of a text on one line, at most n characters and a
// mark when there is more.
func Preview(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= n {
		return string(line)
	}
	return strings.TrimRight(string(line[:n]), " ") + "…"
}
