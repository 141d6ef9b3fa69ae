package markup

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks reads a run of marks that may set off words.
func (w *words) marks(at int) int {
	mark := w.source[at]
	n := runLength(w.source[at:])
	if mark == '~' && n != 2 { // one says "about"
		w.text(w.source[at : at+n])
		return n
	}
	before, _ := utf8.DecodeLastRuneInString(w.source[:at])
	after, _ := utf8.DecodeRuneInString(w.source[at+n:])
	if at == 0 {
		before = ' '
	}
	if at+n == len(w.source) {
		after = ' '
	}
	left := !unicode.IsSpace(after) && (!punctuation(after) || unicode.IsSpace(before) || punctuation(before))
	right := !unicode.IsSpace(before) && (!punctuation(before) || unicode.IsSpace(after) || punctuation(after))
	p := piece{mark: mark, count: n, length: n, opens: left, closes: right}
	if mark == '_' { // in the middle of a word it is part of a name
		p.opens = left && (!right || punctuation(before))
		p.closes = right && (!left || punctuation(after))
	}
	w.flush()
	w.pieces = append(w.pieces, p)
	return n
}

func punctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

func (w *words) flush() {
	if w.bare.Len() > 0 {
		w.pieces = append(w.pieces, piece{html: w.bare.String()})
		w.bare.Reset()
	}
}

// close gives the HTML of all pieces, once the marks have found each other.
func (w *words) close() string {
	w.flush()
	w.match()
	var b strings.Builder
	for _, p := range w.pieces {
		b.WriteString(p.before)
		b.WriteString(p.html)
		if p.mark != 0 {
			b.WriteString(html.EscapeString(strings.Repeat(string(p.mark), p.count)))
		}
		b.WriteString(p.after)
	}
	return b.String()
}

// match finds for each run that may close the nearest before it that it closes. What
// is between two that have found each other is done with.
func (w *words) match() {
	type sort struct {
		mark   byte
		opens  bool
		length int
	}
	var open []int           // runs that may open, and are not closed
	barren := map[sort]int{} // so many of open were looked at for its like, in vain
	for i := range w.pieces {
		closer := &w.pieces[i]
		if closer.mark == 0 {
			continue
		}
		for closer.closes && closer.count > 0 {
			like := sort{closer.mark, closer.opens, closer.length % 3}
			at := len(open) - 1
			for ; at >= barren[like] && !w.pieces[open[at]].pairs(closer); at-- {
			}
			if at < barren[like] {
				barren[like] = len(open)
				break
			}
			opener := &w.pieces[open[at]]
			n, name := 1, "em"
			switch {
			case closer.mark == '~':
				n, name = 2, "del"
			case opener.count >= 2 && closer.count >= 2:
				n, name = 2, "strong"
			}
			opener.count -= n
			closer.count -= n
			opener.after = "<" + name + ">" + opener.after
			closer.before += "</" + name + ">"
			if open = open[:at+1]; opener.count == 0 {
				open = open[:at]
			}
			for k, n := range barren {
				barren[k] = min(n, len(open))
			}
		}
		if closer.opens && closer.count > 0 {
			open = append(open, i)
		}
	}
}

// pairs tells whether a run may be closed by another.
func (p *piece) pairs(closer *piece) bool {
	if p.mark != closer.mark {
		return false
	}
	both := p.closes || closer.opens
	return !both || (p.length+closer.length)%3 != 0 || p.length%3 == 0 && closer.length%3 == 0
}
