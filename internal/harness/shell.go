package harness

import (
	"path"
	"strings"
)

// order is one simple command of a shell line. It is read well enough to see
// which files it names, and no better: variables stay as they are written.
type order struct {
	words []string
	// judged says that what it prints is what counts: it goes into a pipe, a
	// file or another command.
	judged bool
}

// open and closed stand around what runs in a shell of its own, whose folder is
// its own too.
var (
	open   = order{words: []string{"("}}
	closed = order{words: []string{")"}}
)

// inFolders calls visit for each command of a shell line with the folder that it
// runs in, as far as that can be told. It begins in dir.
func inFolders(all []order, dir string, visit func(o order, dir string)) {
	var outer []string
	for _, o := range all {
		switch word := o.words[0]; {
		case word == "(":
			outer = append(outer, dir)
		case word == ")":
			if n := len(outer); n > 0 {
				dir, outer = outer[n-1], outer[:n-1]
			}
		case word != "cd" && word != "pushd":
			visit(o, dir)
		case len(o.words) > 1 && !strings.Contains(o.words[1], "$"):
			dir = path.Join(dir, o.words[1])
		}
	}
}

// orders reads a shell line, or a whole script.
func orders(text string) []order {
	r := &reading{text: text}
	r.read(0, "")
	return r.orders
}

// commandWords gives all words of a shell line.
func commandWords(text string) []string {
	var words []string
	for _, o := range orders(text) {
		words = append(words, o.words...)
	}
	return words
}

// reading goes through a text of the shell's.
type reading struct {
	text   string
	at     int
	orders []order
	until  []string // the ends of the here-documents that begin after this line
}

// deepestShell is how far commands may be nested in each other.
const deepestShell = 20

// read reads commands until one of the characters of end, or to the end.
func (r *reading) read(depth int, end string) {
	var now order
	flush := func(judged bool) {
		now.judged = now.judged || judged
		if len(now.words) > 0 {
			r.orders = append(r.orders, now)
		}
		now = order{}
	}
	defer func() { flush(false) }()
	for r.at < len(r.text) {
		ch := r.text[r.at]
		switch {
		case end != "" && strings.IndexByte(end, ch) >= 0:
			r.at++
			return
		case ch == ' ' || ch == '\t' || ch == '\r':
			r.at++
		case ch == '\n':
			flush(false)
			r.at++
			r.skipDocuments()
		case ch == '\\' && strings.HasPrefix(r.text[r.at:], "\\\n"):
			r.at += 2
		case ch == '#':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		case ch == ';':
			flush(false)
			r.at++
		case ch == '&':
			r.at++
			if r.at < len(r.text) && r.text[r.at] == '>' {
				continue
			}
			flush(false)
		case ch == '|':
			r.at++
			if r.at < len(r.text) && r.text[r.at] == '|' {
				r.at++
				flush(false)
				continue
			}
			flush(!passesOn(r.text[r.at:]))
		case ch == '(':
			flush(false)
			r.at++
			if depth < deepestShell {
				r.orders = append(r.orders, open)
				r.read(depth+1, ")")
				r.orders = append(r.orders, closed)
			}
		case ch == ')':
			flush(false)
			r.at++
		case ch == '<' || ch == '>':
			now.judged = r.redirection(depth) || now.judged
		default:
			word := r.word(depth)
			switch {
			case r.at < len(r.text) && (r.text[r.at] == '>' || r.text[r.at] == '<') && strings.Trim(word, "0123456789") == "":
				// 2>&1
			case len(now.words) == 0 && keywords.has(word):
			default:
				now.words = append(now.words, word)
			}
		}
	}
}

var keywords = words(`if then else elif fi while until do done for in case esac ! { } function time`)

// passesOn tells whether the next command of a pipe only shows what it reads.
func passesOn(rest string) bool {
	fields := strings.Fields(rest)
	return len(fields) > 0 && (fields[0] == "tee" || fields[0] == "cat" || fields[0] == "ts")
}

// redirection reads one and tells whether it keeps what is printed.
func (r *reading) redirection(depth int) bool {
	out := r.text[r.at] == '>'
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("<>|&-", r.text[r.at]) >= 0 {
		r.at++
	}
	op := r.text[start:r.at]
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
	if r.at < len(r.text) && r.text[r.at] == '(' && (op == "<" || op == ">") {
		return false // what is in the brackets is read as commands
	}
	word := ""
	if r.at < len(r.text) && strings.IndexByte("\n;)", r.text[r.at]) < 0 {
		word = r.word(depth)
	}
	if strings.HasPrefix(op, "<<") && op != "<<<" {
		r.until = append(r.until, word)
		return false
	}
	return out && !strings.Contains(op, "&") && word != "/dev/null" && word != "/dev/stderr" && word != "/dev/tty"
}

// skipDocuments goes past the here-documents of the line that has ended.
func (r *reading) skipDocuments() {
	for _, end := range r.until {
		for r.at < len(r.text) {
			line, _, _ := strings.Cut(r.text[r.at:], "\n")
			r.at = min(r.at+len(line)+1, len(r.text))
			if strings.TrimSpace(line) == end {
				break
			}
		}
	}
	r.until = nil
}

// word reads one word, without its quotes. A command that is put in for its
// output is read as one that is judged, and stands in the word as "$()".
func (r *reading) word(depth int) string {
	var b strings.Builder
	start := r.at
	for r.at < len(r.text) {
		switch ch := r.text[r.at]; {
		case strings.IndexByte(" \t\r\n;&|()<>", ch) >= 0:
			if r.at == start {
				r.at++ // cannot be, but must not go on for ever
			}
			return b.String()
		case ch == '\'':
			end := strings.IndexByte(r.text[r.at+1:], '\'')
			if end < 0 {
				b.WriteString(r.text[r.at+1:])
				r.at = len(r.text)
				return b.String()
			}
			b.WriteString(r.text[r.at+1 : r.at+1+end])
			r.at += end + 2
		case ch == '"':
			r.at++
			r.quoted(depth, &b)
		default:
			r.letter(depth, &b)
		}
	}
	return b.String()
}

func (r *reading) quoted(depth int, b *strings.Builder) {
	for r.at < len(r.text) {
		if r.text[r.at] == '"' {
			r.at++
			return
		}
		r.letter(depth, b)
	}
}

// letter reads one character, or what stands for several.
func (r *reading) letter(depth int, b *strings.Builder) {
	rest := r.text[r.at:]
	switch {
	case rest[0] == '\\':
		if len(rest) > 1 && rest[1] != '\n' {
			b.WriteByte(rest[1])
		}
		r.at += min(2, len(rest))
	case rest[0] == '`':
		r.at++
		r.within(depth, "`", b)
	case strings.HasPrefix(rest, "$("):
		r.at += 2
		r.within(depth, ")", b)
	case strings.HasPrefix(rest, "${"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			end = len(rest) - 1
		}
		b.WriteString(rest[:end+1])
		r.at += end + 1
	default:
		b.WriteByte(rest[0])
		r.at++
	}
}

func (r *reading) within(depth int, end string, b *strings.Builder) {
	if depth >= deepestShell {
		r.at = len(r.text)
		return
	}
	from := len(r.orders)
	r.orders = append(r.orders, open)
	r.read(depth+1, end)
	r.orders = append(r.orders, closed)
	for i := from; i < len(r.orders); i++ {
		r.orders[i].judged = true
	}
	b.WriteString("$()")
}
