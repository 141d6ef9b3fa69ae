// Package markdown sets out on lines what agents write: headings, lists, quotes, code,
// and words that are set off. It says what each piece is, and leaves to others how
// that looks.
//
// It is small on purpose: what it does not know stays as it was written, so nothing
// that an agent says can get lost in it.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
)

// Look is what a piece of text is.
type Look int

// The looks.
const (
	Plain Look = iota
	Strong
	Quoted
	Code
)

// Line is one line of a text: what it is, and in pieces, where some of it is set off.
type Line struct {
	Text  string
	Look  Look
	Spans []Span
}

// Span is a piece of a line that looks the same.
type Span struct {
	Text string
	Look Look
}

// Wrap breaks one line of clean text at a width. Lines that go on are indented.
func Wrap(source string, width int, indent string) []string {
	if len(indent) > width/2 {
		indent = ""
	}
	if ansi.StringWidth(source) <= width {
		return []string{source}
	}
	lines := strings.Split(ansi.Wrap(source, max(width-len(indent), 1), ""), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = indent + lines[i]
	}
	return lines
}

// Lay sets out a clean text for a width.
func Lay(said string, width int) []Line {
	var lines []Line
	code := ""
	for source := range strings.SplitSeq(said, "\n") {
		bare := strings.TrimSpace(source)
		if next, turns := fenced(bare, code); turns {
			code = next
			continue
		}
		if code != "" {
			for _, l := range Wrap(source, max(width-2, 1), "") {
				lines = append(lines, Line{Text: "  " + l, Look: Code})
			}
			continue
		}
		lines = append(lines, paragraph(source, bare, width)...)
	}
	return lines
}

// Open tells whether a text ends in a block of code that has no end yet.
func Open(said string) bool {
	code := ""
	for source := range strings.SplitSeq(said, "\n") {
		if next, turns := fenced(strings.TrimSpace(source), code); turns {
			code = next
		}
	}
	return code != ""
}

// fenced tells whether a line begins or ends a block of code, and gives the fence of
// the one that is open after it.
func fenced(bare, open string) (next string, turns bool) {
	fence := fenceOf(bare)
	switch {
	case fence == "":
		return open, false
	case open == "":
		return fence, true
	}
	if ends := strings.HasPrefix(fence, open) && bare == fence; ends {
		return "", true
	}
	return open, false
}

// fenceOf is the fence that opens or closes a block of code.
func fenceOf(bare string) string {
	for _, c := range []string{"`", "~"} {
		if strings.HasPrefix(bare, c+c+c) {
			return bare[:len(bare)-len(strings.TrimLeft(bare, c))]
		}
	}
	return ""
}

var (
	headingLine = text.NewPattern(`^#{1,6}\s+(.+?)\s*#*$`)
	bulletLine  = text.NewPattern(`^(\s*)[-*+]\s+(.*)$`)
	numberLine  = text.NewPattern(`^(\s*\d{1,3}[.)]\s+)(.*)$`)
	quoteLine   = text.NewPattern(`^\s*>\s?(.*)$`)
)

// boxes are the signs for the tasks of a list.
var boxes = []struct{ written, shown string }{{"[ ] ", "☐ "}, {"[x] ", "☑ "}, {"[X] ", "☑ "}}

func paragraph(source, bare string, width int) []Line {
	if m := headingLine().FindStringSubmatch(bare); m != nil {
		words, _ := emphasis(m[1])
		return broken(string(words), width, Strong, "")
	}
	if m := bulletLine().FindStringSubmatch(source); m != nil && bare != "***" {
		rest, sign := m[2], "• "
		for _, b := range boxes {
			if strings.HasPrefix(rest, b.written) {
				rest, sign = rest[len(b.written):], b.shown
			}
		}
		return spell(m[1]+sign, rest, width, Plain)
	}
	if m := numberLine().FindStringSubmatch(source); m != nil {
		return spell(m[1], m[2], width, Plain)
	}
	if m := quoteLine().FindStringSubmatch(source); m != nil {
		return spell("│ ", m[1], width, Quoted)
	}
	return spell("", source, width, Plain)
}

// spell breaks a text with words that are set off into lines, which go on below
// where it begins.
func spell(lead, text string, width int, s Look) []Line {
	words, looks := emphasis(text)
	indent := strings.Repeat(" ", len([]rune(lead)))
	lines := broken(lead+string(words), width, s, indent)
	at := -len([]rune(lead))
	for i := range lines {
		at = lines[i].mark(words, looks, at, s)
	}
	return lines
}

// broken is a text on as many lines as it takes.
func broken(said string, width int, s Look, indent string) []Line {
	var lines []Line
	for _, l := range Wrap(said, width, indent) {
		lines = append(lines, Line{Text: l, Look: s})
	}
	return lines
}

// mark sets off what is set off of the text that the line is a piece of, from a place
// in that on, and gives the place where it ends. Breaking lines takes white space away
// and adds some, and nothing else.
func (l *Line) mark(words []rune, looks []Look, at int, s Look) int {
	var spans []Span
	for _, r := range l.Text {
		now := s
		switch {
		case at < 0:
			at++
		default:
			for at < len(words) && words[at] != r && unicode.IsSpace(words[at]) {
				at++
			}
			if at < len(words) && words[at] == r {
				if looks[at] != Plain {
					now = looks[at]
				}
				at++
			}
		}
		if n := len(spans); n > 0 && spans[n-1].Look == now {
			spans[n-1].Text += string(r)
		} else {
			spans = append(spans, Span{string(r), now})
		}
	}
	if len(spans) > 1 || len(spans) == 1 && spans[0].Look != s {
		l.Spans = spans
	}
	return at
}

// emphasis takes the marks of words that are set off away, and says how each letter
// looks.
func emphasis(text string) (words []rune, looks []Look) {
	rest := text
	put := func(part string, s Look) {
		for _, r := range part {
			words, looks = append(words, r), append(looks, s)
		}
	}
	for rest != "" {
		mark, s := "", Plain
		for _, m := range []struct {
			mark string
			look Look
		}{{"`", Code}, {"**", Strong}, {"*", Strong}} {
			if strings.HasPrefix(rest, m.mark) && !inWord(words) {
				mark, s = m.mark, m.look
				break
			}
		}
		if mark != "" {
			if inner, after, ok := strings.Cut(rest[len(mark):], mark); ok && inner != "" && strings.TrimSpace(inner) == inner {
				put(inner, s)
				rest = after
				continue
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		put(rest[:n], Plain)
		rest = rest[n:]
	}
	return words, looks
}

// inWord tells whether a letter or a digit stands before: a mark there multiplies, or
// is part of a name.
func inWord(before []rune) bool {
	n := len(before)
	return n > 0 && (unicode.IsLetter(before[n-1]) || unicode.IsDigit(before[n-1]))
}
