package seal

import (
	"iter"
)

// farBack is how many lines back the one is looked for that a line follows:
// somebody may have put others in between.
const farBack = 8

// Judged is a line of a journal, and whether it is to be believed.
type Judged struct {
	Line
	Believed bool
}

// Judge gives the lines of a journal from the last to the first, as Backward
// gives them, and tells which of them were written by who had the key.
func (c Chain) Judge(lines iter.Seq2[Line, error]) iter.Seq2[Judged, error] {
	return func(yield func(Judged, error) bool) {
		next, stop := iter.Pull2(lines)
		defer stop()
		var ahead []Line
		var failure error
		ended := false
		earlier := func(i int) (Line, bool) {
			for len(ahead) <= i && !ended {
				l, err, ok := next()
				if failure, ended = err, !ok || err != nil; !ended {
					ahead = append(ahead, l)
				}
			}
			if i < len(ahead) {
				return ahead[i], true
			}
			return Line{}, false
		}
		for {
			l, ok := earlier(0)
			if !ok {
				break
			}
			ahead = ahead[1:]
			if !yield(Judged{l, c.believes(l.Text, earlier)}, nil) {
				return
			}
		}
		if failure != nil {
			yield(Judged{}, failure)
		}
	}
}

// believes judges one line by those before it. Without a key everything is
// believed, for there is no other choice.
func (c Chain) believes(text []byte, earlier func(i int) (Line, bool)) bool {
	if !c.Checks() {
		return true
	}
	if _, seal := Unseal(text); seal == "" {
		if !c.Early {
			return false
		}
		before, ok := earlier(0)
		_, seal := Unseal(before.Text)
		return !ok || seal == ""
	}
	for i := range farBack {
		before, ok := earlier(i)
		_, seal := Unseal(before.Text)
		switch {
		case !ok:
			return c.Follows(c.seed, text)
		case seal == "" && c.Early && c.Follows(c.seed, text):
			return true
		case seal != "" && c.Follows(seal, text):
			return true
		}
	}
	return false
}

// Walk judges the lines of a journal from the first on.
type Walk struct {
	Chain
	good   string // the seal of the last line that was believed
	last   string // that of the last line
	any    bool   // a line with a seal has come
	passed []byte // the seal of the last line, where that was passed; else empty
}

// Walk begins before the first line.
func (c Chain) Walk() *Walk { return &Walk{Chain: c, good: c.seed, last: c.seed} }

// Believes judges the next line.
func (w *Walk) Believes(text []byte) bool {
	if !w.Checks() {
		return true
	}
	_, seal := Unseal(text)
	if seal == "" {
		return w.Early && !w.any
	}
	if len(w.passed) > 0 {
		w.last = string(w.passed)
		w.good, w.passed = w.last, w.passed[:0]
	}
	ok := w.Follows(w.last, text) || w.good != w.last && w.Follows(w.good, text)
	if w.any, w.last = true, seal; ok {
		w.good = seal
	}
	return ok
}

// Pass goes past the next line without judging it, which costs next to nothing: a line
// that somebody asks about is judged by the seals before it alone. Who has passed some
// can rely on every yes up to the first no. That may come of the passing, and only who
// walks there anew, without passing any, knows.
func (w *Walk) Pass(text []byte) {
	if seal := sealIn(text); seal != nil && w.Checks() {
		w.any, w.passed = true, append(w.passed[:0], seal...)
	}
}
