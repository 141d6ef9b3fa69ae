package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proof"
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

// Tried hears of each run of the gate, with the iteration that it was run on.
type Tried func(iteration int, g loop.Gate)

// Bisect finds the iteration that broke a gate: from what the run recorded, and
// where that leaves a gap, by running the gate on checkpoints in a clean
// checkout of its own.
func Bisect(ctx context.Context, runs journal.Store, entry journal.Entry, name string, req request.Request, tell Tried) (*Culprit, error) {
	h, err := OpenHistory(ctx, runs, entry)
	if err != nil {
		return nil, err
	}
	known, summaries, err := recorded(runs, entry, name)
	if err != nil {
		return nil, err
	}
	b := &bisection{known: known}
	b.try = func(iter int) (loop.Gate, error) {
		if b.trial == nil {
			if b.trial, err = newTrial(ctx, entry, h, name, req); err != nil {
				return loop.Gate{}, err
			}
		}
		g, err := b.trial.run(ctx, iter)
		if err == nil {
			tell(iter, g)
		}
		return g, err
	}
	defer b.close()
	culprit, err := b.find(entry.Name, name, h.Last())
	if culprit != nil {
		culprit.Summary = summaries[culprit.Iteration]
	}
	return culprit, err
}

// recorded is what the run saw of a gate, by iteration; 0 is the baseline.
func recorded(runs journal.Store, entry journal.Entry, name string) (map[int]loop.Gate, map[int]string, error) {
	known, summaries := map[int]loop.Gate{}, map[int]string{}
	for e, err := range runs.Events(entry.Name, 0) {
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
	trial *trial // nil until the gate is to be run
}

func (b *bisection) close() {
	if b.trial != nil {
		b.trial.close()
	}
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

// trial runs one gate on checkpoints, in a clean checkout that nothing else uses.
type trial struct {
	history *History
	judge   proof.Judge
	keeper  *proc.Keeper
	dir     string
}

func newTrial(ctx context.Context, entry journal.Entry, h *History, name string, req request.Request) (*trial, error) {
	j, err := prepareCheck(ctx, entry.Tree, req)
	if err != nil {
		return nil, err
	}
	gates, err := j.gates(&spending{}, nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(gates, func(g proof.Gate) bool { return g.Name() == name && !g.Review })
	if i < 0 {
		return nil, &request.UsageError{What: fmt.Sprintf("there is no gate %s to run, and the run did not record it everywhere", name), Hint: "name a gate of refrain.toml that runs a command"}
	}
	id := "bisect_" + rand.Text()
	t := &trial{history: h, dir: filepath.Join(ProofDir(j.Tree, entry.Dir), id), keeper: proc.NewKeeper(proc.NewMark(id, j.Tree), j.Config().Proc.Keep)}
	t.judge = proof.Judge{
		Gates: gates[i : i+1], Proof: j.proofIn(t.dir), Store: h.Kept, Dir: j.Dir(),
		Env: append(os.Environ(), "REFRAIN_PROJECT_DIR="+j.Tree), Exec: t.keeper.Run, Tell: func(loop.Payload) {},
		Log: func(string, loop.Place) io.WriteCloser { return nowhere{} },
	}
	t.judge.Proof.Run = entry.Dir
	return t, nil
}

func (t *trial) run(ctx context.Context, iter int) (loop.Gate, error) {
	at, err := t.history.At(ctx, iter)
	if err != nil {
		return loop.Gate{}, err
	}
	r := t.judge.On(ctx, at)
	if r.Interrupted {
		return r.Gate, context.Canceled
	}
	return r.Gate, nil
}

func (t *trial) close() {
	t.keeper.Close()
	_ = files.RemoveTree(t.dir) // prune tries again
}
