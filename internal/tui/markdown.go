package tui

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown lays out what an agent writes: headings, lists, quotes, code, and words
// that are set off. It is small on purpose: what it does not know stays as it was
// written, so nothing that an agent says can get lost in it.
func markdown(said string, width int) []line {
	var lines []line
	code := ""
	for source := range strings.SplitSeq(said, "\n") {
		bare := strings.TrimSpace(source)
		if next, turns := fenced(bare, code); turns {
			code = next
			continue
		}
		if code != "" {
			for _, l := range wrap(source, max(width-2, 1), live, "") {
				lines = append(lines, line{text: "  " + l.text, style: codeLine})
			}
			continue
		}
		lines = append(lines, paragraph(source, bare, width)...)
	}
	return lines
}

// inCode tells whether a text ends in a block of code that has no end yet.
func inCode(said string) bool {
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
	headingLine = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	bulletLine  = regexp.MustCompile(`^(\s*)[-*+]\s+(.*)$`)
	numberLine  = regexp.MustCompile(`^(\s*\d{1,3}[.)]\s+)(.*)$`)
	quoteLine   = regexp.MustCompile(`^\s*>\s?(.*)$`)
)

// boxes are the signs for the tasks of a list.
var boxes = []struct{ written, shown string }{{"[ ] ", "☐ "}, {"[x] ", "☑ "}, {"[X] ", "☑ "}}

func paragraph(source, bare string, width int) []line {
	if m := headingLine.FindStringSubmatch(bare); m != nil {
		words, _ := emphasis(m[1])
		return wrap(string(words), width, strong, "")
	}
	if m := bulletLine.FindStringSubmatch(source); m != nil && bare != "***" {
		rest, sign := m[2], "• "
		for _, b := range boxes {
			if strings.HasPrefix(rest, b.written) {
				rest, sign = rest[len(b.written):], b.shown
			}
		}
		return spell(m[1]+sign, rest, width, plain)
	}
	if m := numberLine.FindStringSubmatch(source); m != nil {
		return spell(m[1], m[2], width, plain)
	}
	if m := quoteLine.FindStringSubmatch(source); m != nil {
		return spell("│ ", m[1], width, faint)
	}
	return spell("", source, width, plain)
}

// spell breaks a text with words that are set off into lines, which go on below
// where it begins.
func spell(lead, text string, width int, s style) []line {
	words, looks := emphasis(text)
	indent := strings.Repeat(" ", len([]rune(lead)))
	lines := wrap(lead+string(words), width, s, indent)
	at := -len([]rune(lead))
	for i := range lines {
		at = lines[i].mark(words, looks, at, s)
	}
	return lines
}

// mark sets off what is set off of the text that the line is a piece of, from a place
// in that on, and gives the place where it ends. Breaking lines takes white space away
// and adds some, and nothing else.
func (l *line) mark(words []rune, looks []style, at int, s style) int {
	var spans []span
	for _, r := range l.text {
		now := s
		switch {
		case at < 0:
			at++
		default:
			for at < len(words) && words[at] != r && unicode.IsSpace(words[at]) {
				at++
			}
			if at < len(words) && words[at] == r {
				if looks[at] != plain {
					now = looks[at]
				}
				at++
			}
		}
		if n := len(spans); n > 0 && spans[n-1].style == now {
			spans[n-1].text += string(r)
		} else {
			spans = append(spans, span{string(r), now})
		}
	}
	if len(spans) > 1 || len(spans) == 1 && spans[0].style != s {
		l.spans = spans
	}
	return at
}

// emphasis takes the marks of words that are set off away, and says how each letter
// looks.
func emphasis(text string) (words []rune, looks []style) {
	rest := text
	put := func(part string, s style) {
		for _, r := range part {
			words, looks = append(words, r), append(looks, s)
		}
	}
	for rest != "" {
		mark, s := "", plain
		for _, m := range []struct {
			mark  string
			style style
		}{{"`", codeLine}, {"**", strong}, {"*", strong}} {
			if strings.HasPrefix(rest, m.mark) && !inWord(words) {
				mark, s = m.mark, m.style
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
		put(rest[:n], plain)
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
