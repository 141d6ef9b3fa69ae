package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// search looks for a text, from the end of a roll that grows. Calls that have it
// in their output are unfolded.
func (r *roll) search(term string) (n, of int) {
	r.term = strings.ToLower(term)
	if r.term == "" {
		return 0, 0
	}
	for _, p := range r.calls() {
		if !p.call.open && contains(p.call.output, r.term) {
			r.change(p.block, func() { p.call.open = true })
		}
	}
	r.lay(r.width, r.height)
	r.hit = -1
	if r.grows {
		r.hit = r.total
		return r.next(-1)
	}
	return r.next(1)
}

// next goes to another match, round the end if need be, and gives its number.
func (r *roll) next(by int) (n, of int) {
	hits := r.hits()
	if len(hits) == 0 {
		return 0, 0
	}
	i, exact := slices.BinarySearch(hits, r.hit)
	switch {
	case by < 0:
		i--
	case exact:
		i++
	}
	i = (i + len(hits)) % len(hits)
	r.hit = hits[i]
	if !r.sees(r.hit) {
		r.to(r.hit - r.height/2)
	}
	return i + 1, len(hits)
}

func (r *roll) hits() []int {
	var list []int
	n := 0
	for _, b := range r.blocks {
		for _, l := range b.lay(r.width) {
			text := l.text
			if l.style == raw {
				text = ansi.Strip(text)
			}
			if contains(text, r.term) {
				list = append(list, n)
			}
			n++
		}
	}
	return list
}

// paint sets a line off, and in it what is searched for.
func (r *roll) paint(p palette, l line, chosen bool) string {
	switch {
	case chosen:
		return p.paint(marked, l.text)
	case l.style == raw:
		return l.text
	case r.term == "" || !contains(l.text, r.term):
		return p.paint(l.style, l.text)
	}
	var b strings.Builder
	for rest := l.text; rest != ""; {
		i := strings.Index(strings.ToLower(rest), r.term)
		if i < 0 || len(strings.ToLower(rest)) != len(rest) { // small letters that are longer: too odd to mark
			b.WriteString(p.paint(l.style, rest))
			break
		}
		b.WriteString(p.paint(l.style, rest[:i]))
		b.WriteString(p.paint(found, rest[i:i+len(r.term)]))
		rest = rest[i+len(r.term):]
	}
	return b.String()
}

func contains(text, small string) bool { return strings.Contains(strings.ToLower(text), small) }
