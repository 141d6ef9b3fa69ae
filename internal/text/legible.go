package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Legible is a text in which nothing is hidden: what a screen does not show, such
// as the end of a line before another command, is written out.
func Legible(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	return s
}
