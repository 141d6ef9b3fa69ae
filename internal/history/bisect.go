package history

import (
	"fmt"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
)

// Culprit is the iteration that broke a gate.
type Culprit struct {
	Iteration int       `json:"iteration"`
	Good      int       `json:"good"` // the last before it that passed; 0 is before the first
	Gate      loop.Gate `json:"gate"` // as it was after the culprit
	Summary   string    `json:"summary,omitempty"`
	Ran       []int     `json:"ran,omitempty"` // the iterations on which the gate was run now
}

// Bisect finds the iteration that broke a gate: from what the run recorded, and
// where that leaves a gap, by trying the gate on the work tree after an iteration.
func (h *History) Bisect(gate string, try func(iteration int) (loop.Gate, error)) (*Culprit, error) {
	known, summaries, err := h.recorded(gate)
	if err != nil {
		return nil, err
	}
	b := &bisection{known: known, try: try}
	culprit, err := b.find(h.entry.Name, gate, h.Last())
	if culprit != nil {
		culprit.Summary = summaries[culprit.Iteration]
	}
	return culprit, err
}

// recorded is what the run saw of a gate, by iteration; 0 is the baseline.
func (h *History) recorded(name string) (map[int]loop.Gate, map[int]string, error) {
	known, summaries := map[int]loop.Gate{}, map[int]string{}
	for e, err := range h.runs.Events(h.entry.Name, 0) {
		if err != nil {
			return nil, nil, err
		}
		switch p := e.Payload.(type) {
		case *loop.RunBaseline:
			for _, g := range p.Gates {
				if g.Gate.Name == name {
					known[0] = g.Gate
				}
			}
		case *loop.IterationFinished:
			if p.State.Totals.Iterations < e.Iter {
				continue // the attempt did not count
			}
			summaries[e.Iter] = p.Outcome.Summary
			i := slices.IndexFunc(p.Outcome.Gates, func(g loop.Gate) bool { return g.Name == name })
			switch back := p.Verdict.Restore; {
			case back != nil: // it was undone: the tree is what it was before
				if before, ok := known[*back]; ok {
					known[e.Iter] = before
				}
			case i >= 0:
				known[e.Iter] = p.Outcome.Gates[i]
			}
		}
	}
	return known, summaries, nil
}

// bisection narrows the gap between a good iteration and a bad one.
type bisection struct {
	known map[int]loop.Gate
	try   func(iter int) (loop.Gate, error)
	ran   []int
}

func (b *bisection) at(iter int) (loop.Gate, error) {
	if g, ok := b.known[iter]; ok {
		return g, nil
	}
	g, err := b.try(iter)
	if err != nil {
		return g, err
	}
	b.known[iter] = g
	b.ran = append(b.ran, iter)
	return g, nil
}

// find looks for the last time that the gate went from passing to failing.
func (b *bisection) find(run, name string, last int) (*Culprit, error) {
	bad := last
	g, err := b.at(bad)
	if err != nil {
		return nil, err
	}
	if g.OK {
		return nil, &request.UsageError{
			What: fmt.Sprintf("gate %s passes after iteration %d of %s: nothing broke it", name, bad, run),
			Hint: "\"refrain show " + run + "\" lists what its gates said",
		}
	}
	good := -1
	for i := bad - 1; i >= 0 && good < 0; i-- {
		if k, ok := b.known[i]; ok && k.OK {
			good = i
		} else if ok {
			bad = i
		}
	}
	if good < 0 {
		first, err := b.at(0)
		if err != nil {
			return nil, err
		}
		if !first.OK {
			return nil, &request.UsageError{What: fmt.Sprintf("gate %s failed before the first iteration of %s already (%s): no iteration broke it", name, run, first.Why), Hint: "\"refrain show " + run + "\" lists what its gates said"}
		}
		good = 0
	}
	for bad-good > 1 {
		middle := (good + bad) / 2
		g, err := b.at(middle)
		if err != nil {
			return nil, err
		}
		if g.OK {
			good = middle
		} else {
			bad = middle
		}
	}
	return &Culprit{Iteration: bad, Good: good, Gate: b.known[bad], Ran: b.ran}, nil
}
