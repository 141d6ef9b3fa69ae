package text

import "strings"

const (
	escape = '\x1b'
	csi    = "\u009b" // the one-character form of escape and [
)

// StripEscapes takes out the sequences that a terminal obeys instead of showing:
// colours and cursor moves, strings for the terminal itself, and short commands. A
// string without an end loses only its first two characters, so that nobody can
// hide the rest of what is said.
func StripEscapes(s string) string {
	next := nextEscape(s)
	if next < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for next >= 0 {
		b.WriteString(s[:next])
		s = s[next:]
		n := sequence(s)
		if n == 0 { // begins none: it stays
			b.WriteByte(s[0])
			n = 1
		}
		s = s[n:]
		next = nextEscape(s)
	}
	b.WriteString(s)
	return b.String()
}

func nextEscape(s string) int {
	at := strings.IndexByte(s, escape)
	short := strings.Index(s, csi)
	if at < 0 || short >= 0 && short < at {
		return short
	}
	return at
}

// sequence is the length of the sequence that s begins with, 0 for none.
func sequence(s string) int {
	if strings.HasPrefix(s, csi) {
		return control(s, len(csi))
	}
	if strings.HasPrefix(s, "\x1b[") {
		if n := control(s, 2); n > 0 {
			return n
		}
	}
	if len(s) > 1 && strings.IndexByte("]PX^_", s[1]) >= 0 {
		if n := deviceString(s); n > 0 {
			return n
		}
	}
	at := 1 + span(s[1:], ' ', '/')
	if at < len(s) && s[at] >= '0' && s[at] <= '~' {
		return at + 1
	}
	return 0
}

// control is the length of a control sequence whose parameters begin at a place.
func control(s string, at int) int {
	at += span(s[at:], '0', '?')
	at += span(s[at:], ' ', '/')
	if at < len(s) && s[at] >= '@' && s[at] <= '~' {
		return at + 1
	}
	return 0
}

// deviceString is the length of a string for the terminal itself, such as a window
// title, up to its end.
func deviceString(s string) int {
	end := strings.IndexAny(s[2:], "\a\x1b\n")
	if end < 0 {
		return 0
	}
	switch end += 2; {
	case s[end] == '\a':
		return end + 1
	case strings.HasPrefix(s[end:], "\x1b\\"):
		return end + 2
	}
	return 0
}

// span is how many bytes from the beginning lie between two.
func span(s string, low, high byte) (n int) {
	for n < len(s) && s[n] >= low && s[n] <= high {
		n++
	}
	return n
}
