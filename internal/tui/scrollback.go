package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxKept is how much of a scrollback is kept at most, in lines of eighty columns. What
// is older is on the disk. Some more than needed goes at a time, for that costs
// as much as to let go of one.
const (
	maxKept  = 10_000
	keptThen = maxKept * 9 / 10
)

// scrollback is a list of blocks seen through a window.
//
// It is not the viewport of bubbles, which measures every line that it is given:
// some 40 ms for a full scrollback, and a transcript grows with every word of an
// agent. Blocks are laid out once for a width, and only what is in the window is
// painted. That also lets calls be folded, and the line at the top stay there when
// the width changes.
type scrollback struct {
	blocks []*block
	weight int

	// grows says that a scrollback is added to at its end, and read there.
	grows  bool
	moved  bool // the reader has gone elsewhere
	top    int  // the first line in the window
	width  int
	height int
	total  int // lines

	chosen *block // the call that keys act on
	term   string // what is searched for, in small letters
	hit    int    // the line of the last match
}

// add puts a block at the end, and lets go of the oldest for it.
func (r *scrollback) add(b *block) {
	r.blocks = append(r.blocks, b)
	r.weight += b.weight()
	if r.weight <= maxKept {
		return
	}
	n := 0
	for ; r.weight > keptThen && n < len(r.blocks)-1; n++ {
		r.weight -= r.blocks[n].weight()
		r.shift(-len(r.blocks[n].lines))
	}
	r.blocks = slices.Delete(r.blocks, 0, n)
}

// shift keeps the window on the same lines when some above it go.
func (r *scrollback) shift(by int) {
	r.top, r.hit = max(r.top+by, 0), max(r.hit+by, 0)
}

// change alters a block that is in the scrollback.
func (r *scrollback) change(b *block, how func()) {
	r.weight -= b.weight()
	how()
	b.width = 0
	r.weight += b.weight()
}

// drop takes a block out.
func (r *scrollback) drop(b *block) {
	if i := slices.Index(r.blocks, b); i >= 0 {
		r.weight -= b.weight()
		r.blocks = slices.Delete(r.blocks, i, i+1)
	}
}

// lay makes the scrollback ready for a window of a size. The line at the top stays
// there, however the lines break now.
func (r *scrollback) lay(width, height int) {
	at, into := r.at(r.top)
	turned := width != r.width
	r.width, r.height, r.total = width, height, 0
	for i, b := range r.blocks {
		if i == at && turned {
			r.top = r.total + min(into, max(len(b.lay(width))-1, 0))
		}
		r.total += len(b.lay(width))
	}
	if r.grows && !r.moved {
		r.top = r.last()
	}
	r.top = min(max(r.top, 0), r.last())
}

// at finds the block that a line is in, as it was laid out last.
func (r *scrollback) at(n int) (index, into int) {
	for i, b := range r.blocks {
		if n < len(b.lines) {
			return i, n
		}
		n -= len(b.lines)
	}
	return -1, 0
}

// last is the highest line that the window can begin at.
func (r *scrollback) last() int { return max(r.total-r.height, 0) }

// show paints the lines in the window.
func (r *scrollback) show(p palette) []string {
	lines := make([]string, 0, r.height)
	n := 0
	for _, b := range r.blocks {
		laid := b.lay(r.width)
		for i := max(r.top-n, 0); i < len(laid) && len(lines) < r.height; i++ {
			lines = append(lines, r.paint(p, laid[i], b == r.chosen && i == 0))
		}
		if n += len(laid); n >= r.top+r.height {
			break
		}
	}
	return lines
}

// move scrolls by lines.
func (r *scrollback) move(by int) { r.to(r.top + by) }

// to scrolls to a line. At the end of a scrollback that grows, the window stays there.
func (r *scrollback) to(top int) {
	r.top = min(max(top, 0), r.last())
	r.moved = r.top < r.last()
}

// reveal scrolls as little as it takes to see a line.
func (r *scrollback) reveal(n int) {
	switch {
	case n < r.top:
		r.to(n)
	case n >= r.top+r.height:
		r.to(n - r.height + 1)
	}
}

// place says where in the scrollback the window is, when it is not all of it.
func (r *scrollback) place() string {
	switch {
	case r.total <= r.height:
		return ""
	case r.grows && !r.moved:
		return atEnd
	}
	return fmt.Sprintf("%d%%", r.top*100/max(r.last(), 1))
}

// atEnd is the place of a window that moves as its scrollback grows.
const atEnd = "end"

// choose goes to the next or the last call, from the one that is chosen or else
// from the edge of the window.
func (r *scrollback) choose(by int) {
	calls := r.calls()
	if len(calls) == 0 {
		return
	}
	i := r.chosenOf(calls)
	switch {
	case i >= 0:
		i = min(max(i+by, 0), len(calls)-1)
	case by < 0:
		i = r.lastSeen(calls)
	default:
		i = r.firstSeen(calls)
	}
	r.chosen = calls[i].block
	r.reveal(calls[i].line)
}

// toggle folds or unfolds the chosen call, or else the last one in the window.
func (r *scrollback) toggle() {
	calls := r.calls()
	if len(calls) == 0 {
		return
	}
	if r.chosenOf(calls) < 0 {
		r.chosen = calls[r.lastSeen(calls)].block
	}
	r.change(r.chosen, func() { r.chosen.call.open = !r.chosen.call.open })
	r.keep(r.chosen)
}

// toggleAll folds every call, or unfolds them when none is open.
func (r *scrollback) toggleAll() {
	calls := r.calls()
	open := slices.ContainsFunc(calls, func(p placed) bool { return p.call.open })
	for _, p := range calls {
		r.change(p.block, func() { p.call.open = !open })
	}
	r.lay(r.width, r.height)
}

// keep has a block in the window after its lines have changed: where it is, if
// all of it fits, or from its head on.
func (r *scrollback) keep(b *block) {
	top := r.top
	r.lay(r.width, r.height)
	calls := r.calls()
	start := calls[slices.IndexFunc(calls, func(p placed) bool { return p.block == b })].line
	end := start + len(b.lines)
	if start < top || end > top+r.height {
		top = min(start, end-r.height)
	}
	r.to(top)
}

// placed is a block and the line that it begins at.
type placed struct {
	*block
	line int
}

func (r *scrollback) calls() []placed {
	var list []placed
	n := 0
	for _, b := range r.blocks {
		if b.call != nil {
			list = append(list, placed{b, n})
		}
		n += len(b.lay(r.width))
	}
	return list
}

func (r *scrollback) sees(n int) bool { return n >= r.top && n < r.top+r.height }

// chosenOf is the chosen call while it is in the window, or -1.
func (r *scrollback) chosenOf(calls []placed) int {
	return slices.IndexFunc(calls, func(p placed) bool { return p.block == r.chosen && r.sees(p.line) })
}

// lastSeen is the last call in or above the window.
func (r *scrollback) lastSeen(calls []placed) int {
	i := len(calls) - 1
	for i > 0 && calls[i].line >= r.top+r.height {
		i--
	}
	return i
}

// firstSeen is the first call in or below the window.
func (r *scrollback) firstSeen(calls []placed) int {
	i := 0
	for i < len(calls)-1 && calls[i].line < r.top {
		i++
	}
	return i
}

// search looks for a text, from the end of a scrollback that grows. Calls that have it
// in their output are unfolded.
func (r *scrollback) search(term string) (n, of int) {
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
func (r *scrollback) next(by int) (n, of int) {
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

func (r *scrollback) hits() []int {
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
func (r *scrollback) paint(p palette, l line, chosen bool) string {
	switch {
	case chosen:
		return p.paint(marked, l.text)
	case l.style == raw:
		return l.text
	case r.term == "" || !contains(l.text, r.term):
		if l.spans == nil {
			return p.paint(l.style, l.text)
		}
		var b strings.Builder
		for _, s := range l.spans {
			b.WriteString(p.paint(s.style, s.text))
		}
		return b.String()
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
