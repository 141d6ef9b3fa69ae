package gate

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

// escapes are the sequences that a terminal obeys instead of showing.
var escapes = regexp.MustCompile(
	"(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
		"|\x1b[\\]PX^_][^\a\x1b\n]*(?:\a|\x1b\\\\)" +
		"|\x1b[ -/]*[0-~]")

// plain makes readable text of what a program printed for a terminal: no
// escape sequences or control characters, and of a line that was written over
// only what was seen last.
func plain(text string) string {
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	if strings.Contains(text, "\r") {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			line = strings.TrimRight(line, "\r")
			lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
		}
		text = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}

// oneLine makes one short line of a text.
func oneLine(text string, limit int) string {
	return cut(strings.Join(strings.Fields(plain(text)), " "), limit)
}

const ellipsis = "…"

// lastLines gives the lines at the end of a text that fit into limit bytes. Of
// a last line that is longer, it gives the end.
func lastLines(text string, limit int) string {
	text = strings.TrimRight(text, " \t\n")
	if len(text) <= limit {
		return strings.TrimLeft(text, "\n")
	}
	from := len(text) - limit
	if text[from-1] != '\n' {
		next := strings.IndexByte(text[from:], '\n')
		if next < 0 {
			return ellipsis + lastBytes(text, limit-len(ellipsis))
		}
		from += next
	}
	return strings.TrimLeft(text[from:], "\n")
}

// lastBytes is the end of a text, never half a character.
func lastBytes(text string, n int) string {
	if n <= 0 {
		return ""
	}
	from := max(0, len(text)-n)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// cut shortens a text to at most limit bytes, never inside a character.
func cut(text string, limit int) string {
	switch {
	case len(text) <= limit:
		return text
	case limit < len(ellipsis):
		return ""
	}
	return loop.Cut(text, limit-len(ellipsis)) + ellipsis
}
