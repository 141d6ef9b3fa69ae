package text

import (
	"regexp/syntax"
	"unicode/utf8"
)

// nothing stands where a line has ended.
const nothing = FirstBytes - 1

// bytesOf is which bytes may stand in a place, or nothing.
type bytesOf [(FirstBytes + 63) / 64]uint64

func (b *bytesOf) has(c int) bool { return b[c/64]&(1<<(c%64)) != 0 }
func (b *bytesOf) add(c int)      { b[c/64] |= 1 << (c % 64) }

// beyond adds all bytes of characters beyond ASCII.
func (b *bytesOf) beyond() { b[2], b[3] = ^uint64(0), ^uint64(0) }

func (b *bytesOf) all() {
	for i := range b {
		b[i] = ^uint64(0)
	}
}

// edges is what lines of a form may have in four places: their first two bytes, the
// first that is no space, and the last. It is never less than the truth.
type edges struct{ first, second, ink, last bytesOf }

func edgesOf(tree *syntax.Regexp) (e edges) {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic(err)
	}
	n := machine{prog}
	start := n.from([]uint32{uint32(prog.Start)})
	n.mark(start, &e.first)
	n.mark(n.after(start, func(*syntax.Inst) bool { return true }), &e.second)
	if start.free {
		e.second.all()
	}
	if start.wide {
		e.second.beyond() // the rest of a character
	}
	spaced := start
	for {
		next := n.after(spaced, func(i *syntax.Inst) bool { return i.MatchRune(' ') })
		more := n.from(append(spaced.insts[:len(spaced.insts):len(spaced.insts)], next.insts...))
		more.free, more.end = spaced.free || next.free, spaced.end || next.end
		if len(more.insts) == len(spaced.insts) && more.free == spaced.free && more.end == spaced.end {
			break
		}
		spaced = more
	}
	n.mark(spaced, &e.ink)
	last := len(tree.Sub) - 1
	if tree.Op != syntax.OpConcat || tree.Sub[last].Op != syntax.OpEndText || markLast(tree, &e.last) {
		e.last.all() // it may match no more than the beginning, or nothing
	}
	return e
}

// machine is a regular expression as what reads by it.
type machine struct{ prog *syntax.Prog }

// states is where a machine may be.
type states struct {
	insts []uint32 // that read a character
	free  bool     // it may have matched, whatever follows
	end   bool     // it may have matched, if nothing follows
	wide  bool     // one of the characters may be of several bytes
}

// from is where a machine may be from some places on, without reading.
func (n machine) from(places []uint32) (s states) {
	type place struct {
		at    uint32
		ended bool
	}
	seen := make(map[place]bool)
	var visit func(p place)
	visit = func(p place) {
		if seen[p] {
			return
		}
		seen[p] = true
		switch inst := &n.prog.Inst[p.at]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			visit(place{inst.Out, p.ended})
			visit(place{inst.Arg, p.ended})
		case syntax.InstEmptyWidth:
			end := syntax.EmptyOp(inst.Arg)&(syntax.EmptyEndText|syntax.EmptyEndLine) != 0
			visit(place{inst.Out, p.ended || end})
		case syntax.InstCapture, syntax.InstNop:
			visit(place{inst.Out, p.ended})
		case syntax.InstMatch:
			s.end = s.end || p.ended
			s.free = s.free || !p.ended
		case syntax.InstFail:
		default:
			if !p.ended {
				s.insts = append(s.insts, p.at)
				s.wide = s.wide || wide(inst)
			}
		}
	}
	for _, at := range places {
		visit(place{at: at})
	}
	return s
}

// after is where a machine may be when one more character was read.
func (n machine) after(s states, reads func(*syntax.Inst) bool) states {
	var next []uint32
	for _, at := range s.insts {
		if inst := &n.prog.Inst[at]; reads(inst) {
			next = append(next, inst.Out)
		}
	}
	return n.from(next)
}

// mark notes which bytes may come next.
func (n machine) mark(s states, b *bytesOf) {
	if s.free {
		b.all()
		return
	}
	if s.end {
		b.add(nothing)
	}
	for _, at := range s.insts {
		inst := &n.prog.Inst[at]
		for c := range utf8.RuneSelf {
			if inst.MatchRune(rune(c)) {
				b.add(c)
			}
		}
		if wide(inst) {
			b.beyond()
		}
	}
}

// wide tells whether an instruction may read a character of several bytes.
func wide(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return len(inst.Rune) > 0 && inst.Rune[len(inst.Rune)-1] >= utf8.RuneSelf || syntax.Flags(inst.Arg)&syntax.FoldCase != 0
}

// markLast notes which bytes a text may end with that an expression matches, and
// tells whether it may match nothing, so that what is before it counts.
func markLast(re *syntax.Regexp, b *bytesOf) (nullable bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpBeginLine, syntax.OpEndText, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			b.all()
			return false
		}
		text := string(re.Rune)
		b.add(int(text[len(text)-1]))
		return false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1] && c < utf8.RuneSelf; c++ {
				b.add(int(c))
			}
			if re.Rune[i+1] >= utf8.RuneSelf {
				b.beyond()
			}
		}
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return markLast(re.Sub[0], b)
	case syntax.OpStar, syntax.OpQuest:
		markLast(re.Sub[0], b)
		return true
	case syntax.OpRepeat:
		return markLast(re.Sub[0], b) || re.Min == 0
	case syntax.OpConcat:
		for i := len(re.Sub) - 1; i >= 0; i-- {
			if !markLast(re.Sub[i], b) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			nullable = markLast(sub, b) || nullable
		}
		return nullable
	}
	b.all()
	return false
}
