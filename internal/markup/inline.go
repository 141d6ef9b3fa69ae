package markup

import (
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInside is how deep the words of links lie in each other.
const maxInside = 3

// inline is the HTML of words: what is set off, code, links.
func inline(s string, inside int) string {
	w := words{source: s, inside: inside}
	w.read()
	return w.close()
}

// words are read from left to right, in pieces: those that are done, and runs of marks
// that may set off what is between them.
type words struct {
	source string
	inside int // of links
	pieces []piece
	bare   strings.Builder // HTML that is not a piece yet

	fences map[int][]int // where the runs of backticks are, by their length
	pairs  map[int]int   // brackets that belong together
}

// piece is HTML, or a run of marks.
type piece struct {
	html   string
	mark   byte // 0 is none
	count  int
	opens  bool
	closes bool
	length int    // of the run as it was written
	before string // tags that end at it
	after  string // tags that begin at it
}

func (w *words) read() {
	for at := 0; at < len(w.source); {
		rest := w.source[at:]
		next := strings.IndexAny(rest, "\\`*_~[!<&\nhw")
		if next < 0 {
			w.text(rest)
			return
		}
		before := rest[:next]
		if rest[next] == '\n' {
			before = strings.TrimRight(before, " ")
		}
		w.text(before)
		at += next
		at += w.at(at)
	}
}

func (w *words) text(s string) { w.bare.WriteString(html.EscapeString(s)) }

// at reads what stands at a place, and gives its length.
func (w *words) at(at int) int {
	rest := w.source[at:]
	n := 0
	switch c := rest[0]; c {
	case '\\':
		n = w.escape(rest)
	case '`':
		n = w.code(at)
	case '*', '_', '~':
		return w.marks(at)
	case '[':
		n = w.link(at)
	case '!':
		n = w.image(at)
	case '<':
		n = w.angle(rest)
	case '&':
		n = w.entity(rest)
	case '\n':
		n = w.newLine(at)
	default:
		n = w.address(at)
	}
	if n == 0 {
		w.text(rest[:1])
		n = 1
	}
	return n
}

// escape is a letter that a backslash takes its meaning from.
func (w *words) escape(rest string) int {
	switch {
	case len(rest) < 2:
		return 0
	case rest[1] == '\n':
		w.bare.WriteString("<br>\n")
		return 2
	case isPunct(rest[1]):
		w.text(rest[1:2])
		return 2
	}
	return 0
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
}

// newLine ends a line: two spaces before it break it.
func (w *words) newLine(at int) int {
	if strings.HasSuffix(w.source[:at], "  ") {
		w.bare.WriteString("<br>")
	}
	w.bare.WriteString("\n")
	return 1
}

// runLength is how often a text begins with its first letter.
func runLength(s string) int { return len(s) - len(strings.TrimLeft(s, s[:1])) }

// codeEnd is where the run of backticks is that ends the code that one of this length
// begins; -1: there is none.
func (w *words) codeEnd(at, length int) int {
	if w.fences == nil {
		w.fences = map[int][]int{}
		for i := 0; i < len(w.source); {
			next := strings.IndexByte(w.source[i:], '`')
			if next < 0 {
				break
			}
			n := runLength(w.source[i+next:])
			w.fences[n] = append(w.fences[n], i+next)
			i += next + n
		}
	}
	list := w.fences[length]
	if i, _ := slices.BinarySearch(list, at+length); i < len(list) {
		return list[i]
	}
	return -1
}

func (w *words) code(at int) int {
	n := runLength(w.source[at:])
	end := w.codeEnd(at, n)
	if end < 0 {
		w.text(w.source[at : at+n])
		return n
	}
	said := strings.ReplaceAll(w.source[at+n:end], "\n", " ")
	if len(said) > 2 && said[0] == ' ' && said[len(said)-1] == ' ' && strings.Trim(said, " ") != "" {
		said = said[1 : len(said)-1]
	}
	w.bare.WriteString("<code>" + html.EscapeString(said) + "</code>")
	return end + n - at
}

// entity is a letter by its name or number. One that nobody would see as it is stays
// as it was written.
func (w *words) entity(rest string) int {
	const longest = 32
	end := strings.IndexByte(rest[:min(len(rest), longest)], ';')
	if end < 2 {
		return 0
	}
	said := html.UnescapeString(rest[:end+1])
	if said == rest[:end+1] || strings.HasSuffix(said, ";") && said != ";" || said == "\n" || legible(said) != said {
		return 0
	}
	w.text(said)
	return end + 1
}

// angle is what stands in angle brackets: an address, or a tag, which is shown as it
// stands: an agent's <promise> is worth seeing.
func (w *words) angle(rest string) int {
	end := strings.IndexAny(rest[1:], "<>") + 1
	if end < 2 || rest[end] != '>' {
		return 0
	}
	said := rest[1:end]
	if !strings.ContainsAny(said, " \t\n") && (strings.HasPrefix(said, "http://") || strings.HasPrefix(said, "https://")) {
		w.bare.WriteString(w.leading(html.EscapeString(said), said))
		return end + 1
	}
	if name := strings.TrimPrefix(said, "/"); name != "" && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z' || name[0] == '!' || name[0] == '?') {
		w.text(rest[:end+1])
		return end + 1
	}
	return 0
}

// leading is words that lead somewhere, unless they stand in a link already.
func (w *words) leading(said, to string) string {
	if w.inside > 0 {
		return said
	}
	return linked(said, to)
}

// address is one that stands bare in the words.
func (w *words) address(at int) int {
	rest := w.source[at:min(len(w.source), at+maxAddress)]
	prefix := ""
	switch {
	case strings.HasPrefix(rest, "https://") || strings.HasPrefix(rest, "http://"):
	case strings.HasPrefix(rest, "www."):
		prefix = "http://"
	default:
		return 0
	}
	if before, _ := utf8.DecodeLastRuneInString(w.source[:at]); at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		return 0
	}
	host := strings.TrimPrefix(strings.TrimPrefix(rest, "http://"), "https://")
	if host = host[:span(host, inHost)]; !strings.Contains(strings.TrimRight(host, "."), ".") && !strings.HasPrefix(host, "localhost") {
		return 0
	}
	to := trimmed(rest[:span(rest, func(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune("<>`\"|", r) })])
	w.bare.WriteString(w.leading(html.EscapeString(to), prefix+to))
	return len(to)
}

// inHost tells whether a letter may stand in the name of a host, or the port.
func inHost(r rune) bool { return wordly(r) || strings.ContainsRune(".-:@[]", r) }

// trimmed is an address without what ends the sentence, or the words that are set off.
// A bracket at its end belongs to it if it opens there.
func trimmed(to string) string {
	round := strings.Count(to, ")") - strings.Count(to, "(")
	square := strings.Count(to, "]") - strings.Count(to, "[")
	for to != "" {
		switch last := to[len(to)-1]; {
		case strings.IndexByte(".,:;!?'*_~\\", last) >= 0:
		case last == ')' && round > 0:
			round--
		case last == ']' && square > 0:
			square--
		default:
			return to
		}
		to = to[:len(to)-1]
	}
	return to
}

// link is words in square brackets with an address behind them.
func (w *words) link(at int) int {
	said, to, n := w.target(at)
	if n == 0 {
		return 0
	}
	if w.inside > 0 {
		if w.inside >= maxInside {
			return 0
		}
		w.bare.WriteString(inline(said, w.inside+1))
		return n
	}
	w.bare.WriteString(linked(inline(said, 1), to))
	return n
}

// image is a link to it: a page must load nothing that an agent names.
func (w *words) image(at int) int {
	if !strings.HasPrefix(w.source[at:], "![") {
		return 0
	}
	said, to, n := w.target(at + 1)
	if n == 0 {
		return 0
	}
	if said = strings.TrimSpace(said); said == "" {
		said = to
	}
	w.bare.WriteString(w.leading("image: "+html.EscapeString(said), to))
	return n + 1
}

// target is the words of a link and where it leads, and its length; 0: it is none.
func (w *words) target(at int) (said, to string, n int) {
	end, ok := w.pair(at)
	if !ok || !strings.HasPrefix(w.source[end+1:], "(") {
		return "", "", 0
	}
	to, length := destination(w.source[end+1:])
	if length == 0 {
		return "", "", 0
	}
	return w.source[at+1 : end], to, end + 1 + length - at
}

// pair is where the bracket is that closes one. All are found at once.
func (w *words) pair(at int) (int, bool) {
	if w.pairs == nil {
		w.pairs = map[int]int{}
		var open []int
		for i := 0; i < len(w.source); i++ {
			switch w.source[i] {
			case '\\':
				i++
			case '`':
				n := runLength(w.source[i:])
				if end := w.codeEnd(i, n); end >= 0 {
					i = end + n - 1
				} else {
					i += n - 1
				}
			case '[':
				open = append(open, i)
			case ']':
				if len(open) > 0 {
					w.pairs[open[len(open)-1]] = i
					open = open[:len(open)-1]
				}
			}
		}
	}
	end, ok := w.pairs[at]
	return end, ok
}

// How long an address may be, and how deep brackets lie in it. What goes beyond is
// words.
const (
	maxAddress  = 2 << 10
	maxBrackets = 32
)

// destination is the address in round brackets, and the length of it all; 0: there is
// none. What it is called besides is left out.
func destination(s string) (to string, n int) {
	s = s[:min(len(s), maxAddress)]
	at := 1 + spaces(s[1:])
	switch {
	case at < len(s) && s[at] == '<':
		end := strings.IndexAny(s[at:], ">\n")
		if end < 0 || s[at+end] != '>' {
			return "", 0
		}
		to, at = s[at+1:at+end], at+end+1
	default:
		start, deep := at, 0
	scan:
		for ; at < len(s); at++ {
			switch c := s[at]; {
			case c == '\\' && at+1 < len(s) && isPunct(s[at+1]):
				at++
			case c == '(':
				if deep++; deep > maxBrackets {
					return "", 0
				}
			case c == ')' && deep == 0, c <= ' ':
				break scan
			case c == ')':
				deep--
			}
		}
		to = s[start:at]
	}
	gap := spaces(s[at:])
	if at += gap; gap > 0 && at < len(s) && strings.IndexByte(`"'(`, s[at]) >= 0 {
		mark := s[at]
		if mark == '(' {
			mark = ')'
		}
		end := strings.IndexByte(s[at+1:], mark)
		if end < 0 {
			return "", 0
		}
		at += end + 2
		at += spaces(s[at:])
	}
	if at >= len(s) || s[at] != ')' {
		return "", 0
	}
	return unescaped(to), at + 1
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\n")) }

// unescaped is an address as it is meant.
func unescaped(to string) string {
	var b strings.Builder
	for i := 0; i < len(to); i++ {
		if to[i] == '\\' && i+1 < len(to) && isPunct(to[i+1]) {
			i++
		}
		b.WriteByte(to[i])
	}
	return html.UnescapeString(b.String())
}
