package journal

import (
	"fmt"
	"iter"

	"github.com/refrain-loop/refrain/internal/loop"
)

// farBack is how many lines back the one is looked for that a line follows:
// somebody may have put others in between.
const farBack = 8

// judged is a line of a journal, and whether it is to be believed.
type judged struct {
	line
	believed bool
}

// judge gives the lines of a journal from the last to the first, as backward
// gives them, and tells which of them were written by who had the key.
func (c chain) judge(lines iter.Seq2[line, error]) iter.Seq2[judged, error] {
	return func(yield func(judged, error) bool) {
		next, stop := iter.Pull2(lines)
		defer stop()
		var ahead []line
		var failure error
		ended := false
		earlier := func(i int) (line, bool) {
			for len(ahead) <= i && !ended {
				l, err, ok := next()
				if failure, ended = err, !ok || err != nil; !ended {
					ahead = append(ahead, l)
				}
			}
			if i < len(ahead) {
				return ahead[i], true
			}
			return line{}, false
		}
		for {
			l, ok := earlier(0)
			if !ok {
				break
			}
			ahead = ahead[1:]
			if !yield(judged{l, c.believes(l.text, earlier)}, nil) {
				return
			}
		}
		if failure != nil {
			yield(judged{}, failure)
		}
	}
}

// believes judges one line by those before it. Without a key everything is
// believed, for there is no other choice.
func (c chain) believes(text []byte, earlier func(i int) (line, bool)) bool {
	if c.mac == nil || c.lost {
		return true
	}
	if _, seal := unseal(text); seal == "" {
		if !c.early {
			return false
		}
		before, ok := earlier(0)
		_, seal := unseal(before.text)
		return !ok || seal == ""
	}
	for i := range farBack {
		before, ok := earlier(i)
		_, seal := unseal(before.text)
		switch {
		case !ok:
			return c.follows(c.seed, text)
		case seal == "" && c.early && c.follows(c.seed, text):
			return true
		case seal != "" && c.follows(seal, text):
			return true
		}
	}
	return false
}

// walk judges the lines of a journal from the first on.
type walk struct {
	chain
	good string // the seal of the last line that was believed
	last string // that of the last line
	any  bool   // a line with a seal has come
}

func (c chain) walk() *walk { return &walk{chain: c, good: c.seed, last: c.seed} }

func (w *walk) believes(text []byte) bool {
	if w.mac == nil || w.lost {
		return true
	}
	_, seal := unseal(text)
	if seal == "" {
		return w.early && !w.any
	}
	ok := w.follows(w.good, text) || w.follows(w.last, text)
	if w.any, w.last = true, seal; ok {
		w.good = seal
	}
	return ok
}

// noSeal is why nobody can tell what was recorded without one.
const noSeal = "its records have no seal, as those of earlier versions"

// doubted is an event as far as it is worth anything without a seal that can be
// checked: nothing that anybody could have written proves the work.
func (c chain) doubted(e loop.Event) loop.Event {
	why := ""
	switch {
	case c.lost:
		why = keyGone
	case c.unsealed, c.early && e.Seal == "":
		why = noSeal
	default:
		return e
	}
	switch p := e.Payload.(type) {
	case *loop.RunFinished:
		if p.State == loop.Done {
			now := *p
			now.Proven, now.Proof = doubt(p.Proven, p.Proof, why)
			e.Payload = &now
		}
	case *loop.IterationFinished:
		now := *p
		now.Verdict = doubtVerdict(p.Verdict, why)
		e.Payload = &now
	case *loop.RunRule:
		e.Payload = &loop.RunRule{Verdict: doubtVerdict(p.Verdict, why)}
	}
	return e
}

func doubtVerdict(v loop.Verdict, why string) loop.Verdict {
	if v.State == loop.Done {
		v.Proven, v.Proof = doubt(v.Proven, v.Proof, why)
	}
	return v
}

func doubt(proven bool, p *loop.Proof, why string) (bool, *loop.Proof) {
	level := loop.LevelClaimed
	if p != nil {
		level = p.Level
	} else if proven {
		level = loop.LevelProven
	}
	return false, &loop.Proof{Level: loop.LevelClaimed, Why: fmt.Sprintf("recorded as %s, which cannot be checked: %s", level, why)}
}
