package journal

import (
	"bytes"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// recall gives a state the words that it came without. Of a line that is damaged, or
// not a runner's, nothing is known.
func recall(path string, c seal.Chain, state loop.State) (loop.State, error) {
	if len(state.SaidIn) == 0 {
		return state, nil
	}
	f, size, err := openSized(path)
	if err != nil {
		return state, err
	}
	defer f.Close()
	finished := (*loop.IterationFinished)(nil).Type()
	first, said := slices.Min(state.SaidIn), map[int]string{}
	for l, err := range c.Judge(seal.Backward(f, size)) {
		if err != nil {
			return state, err
		}
		if !l.Believed || !bytes.Contains(l.Text, []byte(finished)) {
			continue
		}
		line, known := scanLine(l.Text)
		if whole := !bytes.Contains(l.Text[1:], []byte(seal.EventStart)); known && whole && line.Iter > first && !slices.Contains(state.SaidIn, line.Iter) {
			continue // of a long run nearly all, where agents say little
		}
		e, _, err := line.read(l.Text, known)
		p, ok := e.Payload.(*loop.IterationFinished)
		if err != nil || !ok {
			continue
		}
		if _, later := said[e.Iter]; !later { // attempts before the last did not count
			said[e.Iter] = p.Outcome.Summary
		}
		if e.Iter <= first {
			break
		}
	}
	return state.Recalled(said), nil
}
