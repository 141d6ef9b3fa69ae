package detect

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// lineRule hears a tag that stands alone on its line, or whose text stands
// alone between two lines with its halves, outside code and quotes. It is the
// strict rule: an echoed prompt, a quoted tag or "not DONE yet" is no claim.
type lineRule struct {
	want wanted
	ear  *ear
	page page
	span *span
}

// span is a tag over several lines, so far.
type span struct {
	open  string // the opening half as written
	text  string
	place place
}

// maxTags is how many tags of one line are looked at. More than one is no
// claim anyway, and a long line of nothing else should not take long to refuse.
const maxTags = 8

func (r *lineRule) line(line string) {
	where, bare := r.page.place(line), strings.TrimSpace(line)
	if r.span != nil && r.within(bare, where) {
		return
	}
	if strings.EqualFold(bare, opening) {
		r.span = &span{open: strings.Clone(bare), place: where}
		return
	}
	tags := 0
	open, stray := eachTag(line, func(t tag) {
		if tags++; tags <= maxTags {
			r.weigh(t, where)
		}
	})
	if where != prose {
		return
	}
	switch {
	case open != "" && strings.TrimSpace(open) == bare:
		r.half(bare[len(opening):])
	case stray && hasSuffixFold(bare, closing):
		r.half(bare[:len(bare)-len(closing)])
	case r.want.done != "" && len(bare) <= maxSpan && bare != "" && bare[0] == r.want.done[0] && text.Fold(bare) == r.want.done:
		r.ear.miss(loop.ClaimDone, r.want.done, noTag, r.want.done)
	}
}

// within takes a line between the two halves of a tag, and tells whether it
// belongs there.
func (r *lineRule) within(bare string, where place) bool {
	s := r.span
	switch {
	case strings.EqualFold(bare, closing):
		r.span = nil
		r.weigh(newTag(s.open, s.text, bare), max(s.place, where))
		return true
	case half().MatchString(bare):
		r.leave()
		return false
	}
	if where != indented { // the text is often set in a little
		s.place = max(s.place, where)
	}
	if len(s.text)+len(bare) > maxSpan {
		r.leave()
		return true
	}
	s.text += " " + bare
	return true
}

func (r *lineRule) pause() {
	r.leave()
	r.page = page{}
}

// leave gives up a tag that was opened and never closed.
func (r *lineRule) leave() {
	if r.span != nil && r.span.place == prose {
		r.half(r.span.text)
	}
	r.span = nil
}

func (r *lineRule) half(said string) {
	said = text.Fold(said)
	kind, _ := r.want.kind(said)
	r.ear.miss(kind, shown(said), halfTag)
}

// weigh decides on one whole tag.
func (r *lineRule) weigh(t tag, where place) {
	meant := where == prose && !t.inBackticks() && !t.inQuotes()
	if r.ear.misworded(r.want, t, meant) {
		return
	}
	kind, _ := r.want.kind(t.text)
	if reason := misplaced(t, where); reason != "" {
		r.ear.miss(kind, r.want.text(kind), reason)
		return
	}
	r.ear.hear(kind)
}

func misplaced(t tag, where place) reason {
	switch {
	case where == fenced:
		return inFence
	case where == enclosed:
		return inBlock
	case where == quoted, t.inQuotes():
		return inQuotes
	case t.inBackticks():
		return inBackticks
	case !t.alone():
		return sharesLine
	case where == indented:
		return asCode
	}
	return ""
}

func hasSuffixFold(text, suffix string) bool {
	return len(text) >= len(suffix) && strings.EqualFold(text[len(text)-len(suffix):], suffix)
}
