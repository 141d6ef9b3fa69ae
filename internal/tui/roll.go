package tui

import "slices"

// mostKept is how much of a roll is kept at most, in lines of eighty columns. What
// is older is on the disk. Some more than needed goes at a time, for that costs
// as much as to let go of one.
const (
	mostKept = 10_000
	keptThen = mostKept * 9 / 10
)

// roll is a list of blocks seen through a window.
type roll struct {
	blocks []*block
	weight int

	// grows says that a roll is added to at its end, and read there.
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
func (r *roll) add(b *block) {
	r.blocks = append(r.blocks, b)
	r.weight += b.weight()
	if r.weight <= mostKept {
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
func (r *roll) shift(by int) {
	r.top, r.hit = max(r.top+by, 0), max(r.hit+by, 0)
}

// change alters a block that is in the roll.
func (r *roll) change(b *block, how func()) {
	r.weight -= b.weight()
	how()
	b.width = 0
	r.weight += b.weight()
}

// drop takes a block out.
func (r *roll) drop(b *block) {
	if i := slices.Index(r.blocks, b); i >= 0 {
		r.weight -= b.weight()
		r.blocks = slices.Delete(r.blocks, i, i+1)
	}
}

// lay makes the roll ready for a window of a size. The line at the top stays
// there, however the lines break now.
func (r *roll) lay(width, height int) {
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
func (r *roll) at(n int) (index, into int) {
	for i, b := range r.blocks {
		if n < len(b.lines) {
			return i, n
		}
		n -= len(b.lines)
	}
	return -1, 0
}

// last is the highest line that the window can begin at.
func (r *roll) last() int { return max(r.total-r.height, 0) }

// show paints the lines in the window.
func (r *roll) show(p palette) []string {
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
func (r *roll) move(by int) { r.to(r.top + by) }

// to scrolls to a line. At the end of a roll that grows, the window stays there.
func (r *roll) to(top int) {
	r.top = min(max(top, 0), r.last())
	r.moved = r.top < r.last()
}

// reveal scrolls as little as it takes to see a line.
func (r *roll) reveal(n int) {
	switch {
	case n < r.top:
		r.to(n)
	case n >= r.top+r.height:
		r.to(n - r.height + 1)
	}
}

// place says where in the roll the window is, when it is not all of it.
func (r *roll) place() string {
	switch {
	case r.total <= r.height:
		return ""
	case r.grows && !r.moved:
		return atEnd
	}
	return percent(r.top, r.last())
}

// atEnd is the place of a window that moves as its roll grows.
const atEnd = "end"
