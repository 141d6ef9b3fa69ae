package text

import (
	"strings"
	"unicode/utf8"
)

// Ellipsis stands where something was left out.
const Ellipsis = "…"

// Cut is the first n bytes of a text at most, never half a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n = max(n, 0); n > 0 && s[n]&0xC0 == 0x80; { // the middle of a character
		n--
	}
	return s[:n]
}

// Shorten cuts a text to at most n bytes, and shows that it did. Where there is
// no room to show it, nothing is left.
func Shorten(s string, n int) string {
	switch {
	case len(s) <= n:
		return s
	case n < len(Ellipsis):
		return ""
	}
	return Cut(s, n-len(Ellipsis)) + Ellipsis
}

// Last is the last n bytes of a text at most, never half a character.
func Last(s string, n int) string {
	if n <= 0 {
		return ""
	}
	from := max(0, len(s)-n)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// LastLines gives the lines at the end of a text that fit into n bytes. Of a last
// line that is longer, it gives the end.
func LastLines(s string, n int) string {
	s = strings.TrimRight(s, " \t\n")
	switch {
	case len(s) <= n:
		return strings.TrimLeft(s, "\n")
	case n < len(Ellipsis):
		return ""
	}
	from := len(s) - n
	if s[from-1] != '\n' {
		next := strings.IndexByte(s[from:], '\n')
		if next < 0 {
			return Ellipsis + Last(s, n-len(Ellipsis))
		}
		from += next
	}
	return strings.TrimLeft(s[from:], "\n")
}

// Fold makes every run of white space one space, and none at the ends.
func Fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// FirstLine is the first line of a text, marked when there are more.
func FirstLine(s string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more && strings.TrimSpace(rest) != "" {
		return first + " " + Ellipsis
	}
	return first
}
