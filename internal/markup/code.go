package markup

import (
	"html"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/text"
)

// Language is what a file is written in; empty when it is not known.
func Language(file string) string {
	base := strings.ToLower(path.Base(file))
	if l := languages()[base]; l != nil {
		return l.name
	}
	if l := languages()[strings.TrimPrefix(path.Ext(base), ".")]; l != nil && path.Ext(base) != "" {
		return l.name
	}
	return ""
}

// maxCode is how much is coloured at once. What is longer is shown plain.
const maxCode = 256 << 10

// The classes of what is told apart.
const (
	plain    = ""
	keyword  = "k"
	function = "nf"
	quoted   = "s"
	number   = "m"
	comment  = "c"
)

// Code gives the lines of a code as HTML, each by itself. A language that is not known
// has no colours. It reads everything once, and guesses: colours help to read, and
// nothing depends on them.
func Code(language, code string) []string {
	code = legible(code)
	p := painter{}
	l := languages()[strings.ToLower(language)]
	if l == nil || len(code) > maxCode {
		p.put(plain, code)
		return p.end()
	}
	for at := 0; at < len(code); {
		class, n := l.next(code, at)
		p.put(class, code[at:at+n])
		at += n
	}
	return p.end()
}

// painter puts pieces on lines. A piece that goes over several is opened anew on each.
type painter struct {
	list  []string
	line  strings.Builder
	class string          // of what is held back
	held  strings.Builder // pieces of one class in a row are one
}

func (p *painter) put(class, piece string) {
	if class != p.class {
		p.flush()
		p.class = class
	}
	for i, part := range strings.Split(piece, "\n") {
		if i > 0 {
			p.flush()
			p.list = append(p.list, p.line.String())
			p.line.Reset()
		}
		p.held.WriteString(part)
	}
}

func (p *painter) flush() {
	if p.held.Len() == 0 {
		return
	}
	said := html.EscapeString(p.held.String())
	if p.class != plain {
		said = `<span class="` + p.class + `">` + said + `</span>`
	}
	p.line.WriteString(said)
	p.held.Reset()
}

func (p *painter) end() []string {
	p.flush()
	return append(p.list, p.line.String())
}

// next tells what stands at a place, and how long it is.
func (l *language) next(s string, at int) (class string, n int) {
	rest := s[at:]
	if n := l.comment(s, at); n > 0 {
		return comment, n
	}
	for _, q := range l.quotes {
		if strings.HasPrefix(rest, q.mark) && !(l.prose && at > 0 && wordly(lastRune(s[:at]))) {
			return quoted, q.length(rest)
		}
	}
	if l.chars && rest[0] == '\'' {
		if n := charLength(rest); n > 0 {
			return quoted, n
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r >= '0' && r <= '9':
		return number, span(rest, func(r rune) bool { return wordly(r) || r == '.' })
	case wordly(r):
		n := span(rest, wordly)
		return l.word(s, at, n), n
	}
	return plain, size
}

// comment is how long the comment is that begins at a place; 0: none does.
func (l *language) comment(s string, at int) int {
	rest := s[at:]
	if l.block[0] != "" && strings.HasPrefix(rest, l.block[0]) {
		if end := strings.Index(rest[len(l.block[0]):], l.block[1]); end >= 0 {
			return len(l.block[0]) + end + len(l.block[1])
		}
		return len(rest)
	}
	for _, mark := range l.line {
		// A "#" in the middle of a word is no comment in a shell, nor in YAML.
		if strings.HasPrefix(rest, mark) && !(mark == "#" && at > 0 && !unicode.IsSpace(lastRune(s[:at])) && l.prose) {
			return lineLength(rest)
		}
	}
	return 0
}

// word is the class of a word.
func (l *language) word(s string, at, n int) string {
	word := s[at : at+n]
	if l.anyCase {
		word = strings.ToLower(word)
	}
	switch {
	case l.tags && at > 0 && (s[at-1] == '<' || s[at-1] == '/' && at > 1 && s[at-2] == '<'):
		return keyword
	case l.keywords[word]:
		return keyword
	case !l.prose && strings.HasPrefix(s[at+n:], "("):
		return function
	}
	return plain
}

// quote is how strings are written.
type quote struct {
	mark    string // at both ends
	lines   bool   // it may go over several
	escapes bool   // a backslash takes the next character along
}

// length is how long the string is that a text begins with. One that is not closed ends
// with its line, or with the text.
func (q quote) length(s string) int {
	for i := len(q.mark); i < len(s); i++ {
		switch {
		case q.escapes && s[i] == '\\':
			i++
		case s[i] == '\n' && !q.lines:
			return i
		case strings.HasPrefix(s[i:], q.mark):
			return i + len(q.mark)
		}
	}
	return len(s)
}

// charLength is how long the character in quotes is; 0 when it is something else, as
// the lifetimes of Rust are.
func charLength(s string) int {
	const longest = 12 // '\U0010FFFF'
	if strings.HasPrefix(s, `'\`) {
		if end := strings.IndexByte(s[min(len(s), 3):min(len(s), longest)], '\''); end >= 0 {
			return 3 + end + 1
		}
		return 0
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	if len(s) > 1+size && s[1] != '\n' && s[1] != '\'' && s[1+size] == '\'' {
		return size + 2
	}
	return 0
}

func lineLength(s string) int {
	if end := strings.IndexByte(s, '\n'); end >= 0 {
		return end
	}
	return len(s)
}

func span(s string, in func(rune) bool) int {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(s)
}

func wordly(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// legible is a text without what would not be seen as it is: controls, and what turns
// the direction of lines around. Tabs and lines stay.
func legible(s string) string {
	if !strings.Contains(s, "\t") {
		return text.Clean(s)
	}
	parts := strings.Split(s, "\t")
	for i, part := range parts {
		parts[i] = text.Clean(part)
	}
	return strings.Join(parts, "\t")
}
