package tui

import "slices"

// choose goes to the next or the last call, from the one that is chosen or else
// from the edge of the window.
func (r *roll) choose(by int) {
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
func (r *roll) toggle() {
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
func (r *roll) toggleAll() {
	calls := r.calls()
	open := slices.ContainsFunc(calls, func(p placed) bool { return p.call.open })
	for _, p := range calls {
		r.change(p.block, func() { p.call.open = !open })
	}
	r.lay(r.width, r.height)
}

// keep has a block in the window after its lines have changed: where it is, if
// all of it fits, or from its head on.
func (r *roll) keep(b *block) {
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

func (r *roll) calls() []placed {
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

func (r *roll) sees(n int) bool { return n >= r.top && n < r.top+r.height }

// chosenOf is the chosen call while it is in the window, or -1.
func (r *roll) chosenOf(calls []placed) int {
	return slices.IndexFunc(calls, func(p placed) bool { return p.block == r.chosen && r.sees(p.line) })
}

// lastSeen is the last call in or above the window.
func (r *roll) lastSeen(calls []placed) int {
	i := len(calls) - 1
	for i > 0 && calls[i].line >= r.top+r.height {
		i--
	}
	return i
}

// firstSeen is the first call in or below the window.
func (r *roll) firstSeen(calls []placed) int {
	i := 0
	for i < len(calls)-1 && calls[i].line < r.top {
		i++
	}
	return i
}
