package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from an agent safe to show: no escape sequences, no control
// characters, nothing that turns the direction of the text around, only valid
// UTF-8. Lines stay lines; a tab becomes four spaces.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	s = strings.ReplaceAll(StripEscapes(s), "\r\n", "\n")
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
func Line(s string) string { return Fold(Clean(s)) }

// Printed is what a program printed for a terminal, as it was seen there: Clean,
// with its tabs, and of a line that was written over what came last.
func Printed(s string) string {
	s = StripEscapes(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, "\r") {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			line = strings.TrimRight(line, "\r")
			lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
		}
		s = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if r != '\t' && isHarmful(r) {
			return -1
		}
		return r
	}, s)
}

// Valid makes a text fit to be stored: valid UTF-8, no NUL.
func Valid(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 { // nearly always, and much faster
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
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
