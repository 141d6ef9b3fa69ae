package loop

import "slices"

// Durations sums up how long iterations took, without keeping them.
type Durations struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean_ms"`
	// Squares is the sum of the squared distances from the mean; divided by
	// N-1 it is the variance.
	Squares float64 `json:"squares"`
	Min     Span    `json:"min_ms"`
	Max     Span    `json:"max_ms"`
}

// add takes one more in, so that neither long runs nor long iterations cost the
// sum its precision.
func (d Durations) add(took Span) Durations {
	ms := float64(took.Duration().Milliseconds())
	if d.N++; d.N == 1 {
		return Durations{N: 1, Mean: ms, Min: took, Max: took}
	}
	away := ms - d.Mean
	d.Mean += away / float64(d.N)
	d.Squares += away * (ms - d.Mean)
	d.Min, d.Max = min(d.Min, took), max(d.Max, took)
	return d
}

// Refusal is a claim that was not taken.
type Refusal struct {
	Iteration int    `json:"iteration"`
	Why       string `json:"why"`
}

// mostRefusals is how many of them are kept in full; the total counts all.
const mostRefusals = 6

// refuse keeps why a claim was not taken. An attempt that is judged again, after
// its runner died, is refused once.
func (s State) refuse(iteration int, p *ClaimRefused) State {
	r := Refusal{Iteration: iteration, Why: brief(p.Why)}
	if p.NearMiss || len(s.Refusals) > 0 && s.Refusals[len(s.Refusals)-1] == r {
		return s
	}
	s.Refusals = lastN(append(slices.Clip(s.Refusals), r), mostRefusals)
	s.Totals.Refused++
	return s
}

// addTotals counts what an attempt used and changed. What was put back is no
// change.
func (s State) addTotals(o Outcome, counts, undone bool) State {
	t := &s.Totals
	t.Duration += o.Duration
	t.Tokens += o.Usage.Tokens()
	t.CostUSD = toMicros(t.CostUSD + o.Usage.Cost())
	t.CostEstimated = t.CostEstimated || o.Usage.Estimated()
	if o.MadeProgress() && !undone {
		s.Unrewarded = 0
	} else {
		s.Unrewarded = toMicros(s.Unrewarded + o.Usage.Cost())
	}
	if c := o.Changes; c != nil {
		t.Commits += c.Commits
		if !undone {
			t.Files += c.Created + c.Modified + c.Deleted
			t.FilesCreated += c.Created
			t.FilesModified += c.Modified
			t.FilesDeleted += c.Deleted
			t.LinesAdded += c.LinesAdded
			t.LinesRemoved += c.LinesRemoved
		}
	}
	if !counts || o.Result == Skipped {
		return s
	}
	s.Durations = s.Durations.add(o.Duration)
	if o.Tests != nil {
		t.TestsRun += o.Tests.Passed + o.Tests.Failed
		t.TestsPassed += o.Tests.Passed
		t.TestsFailed += o.Tests.Failed
	}
	if o.Result == OK && o.MadeProgress() && !undone && len(o.Gates) > 0 && len(o.green()) == len(o.Gates) {
		t.Proven++
	}
	return s
}
