package loop

import (
	"fmt"
	"slices"
)

// Tree is where the work tree has been, by its checkpoints.
//
//	FirstCheckpoint ──► … ──► BestTree ──► … ──► LastCheckpoint
//	                      the last that was      the last one, or
//	                      no worse than any      the one put back
type Tree struct {
	BestTree        *BestTree `json:"high,omitempty"`             // the last iteration that was no worse than any before
	FirstCheckpoint string    `json:"first,omitempty" redact:"-"` // the first checkpoint
	LastCheckpoint  string    `json:"here,omitempty" redact:"-"`  // the last one, or the one that was put back
	Net             *Changes  `json:"net,omitempty"`              // since the run began
	Later                     // of that, what runs by itself
}

// BestTree is the iteration that a worse one is undone to.
type BestTree struct {
	Iteration  int      `json:"iteration"` // 0 is before the first
	Checkpoint string   `json:"checkpoint,omitempty" redact:"-"`
	Green      []string `json:"green,omitempty"` // the gates that passed
	Tests      *Best    `json:"tests,omitempty"`
}

// made takes in a new checkpoint.
func (t Tree) made(checkpoint string) Tree {
	if t.FirstCheckpoint == "" {
		t.FirstCheckpoint = checkpoint
	}
	t.LastCheckpoint = checkpoint
	return t
}

// putBack is when the tree was put back: in an attempt, with what people added to
// the best; or by a person between two attempts, and then the event says what
// differs from when the run began. Those of earlier versions do not, and nobody
// knows until the next attempt has ended.
func (t Tree) putBack(p *CheckpointRestored, inAttempt bool) Tree {
	t.LastCheckpoint, t.Later = p.Checkpoint, p.Later
	switch {
	case !inAttempt:
		t.Net = p.Net
	case t.BestTree != nil:
		best := *t.BestTree
		best.Checkpoint = p.Checkpoint
		t.BestTree = &best
	}
	return t
}

// add takes in an iteration that was not undone.
func (t Tree) add(iteration int, o Outcome) Tree {
	if len(o.Gates) > 0 {
		t.BestTree = t.BestTree.next(iteration, o)
	}
	if o.Net != nil {
		t.Net, t.Later = o.Net, o.Later
	}
	return t
}

// next is the best after an iteration that was no worse. What it did not look at
// is as it was.
func (b *BestTree) next(iteration int, o Outcome) *BestTree {
	now := &BestTree{Iteration: iteration, Checkpoint: o.Checkpoint, Green: o.green(), Tests: o.best()}
	if b == nil {
		return now
	}
	if now.Tests == nil {
		now.Tests = b.Tests
	}
	for _, name := range b.Green {
		if !slices.ContainsFunc(o.Gates, func(g Gate) bool { return g.Name == name }) {
			now.Green = append(now.Green, name)
		}
	}
	return now
}

// Undone tells whether an attempt with outcome o is put back, for it left the
// gates or the tests worse than they were.
func (s State) Undone(o Outcome) bool {
	return s.Counting.Ratchet && s.BestTree != nil && s.BestTree.Checkpoint != "" && s.Worse(o) != ""
}

// Worse says in what an attempt falls behind the best, or nothing: a gate is red
// that was green, or counts no tests any more, more tests fail, or fewer pass.
// What was not looked at is not worse.
func (s State) Worse(o Outcome) string {
	h := s.BestTree
	if h == nil || o.Person != "" {
		return ""
	}
	for _, g := range o.Gates {
		switch {
		case g.OK:
		case slices.Contains(h.Green, g.Name):
			return fmt.Sprintf("gate %s failed (%s), and passed before", g.Name, g.Why)
		case g.Tests == 0 && s.Expected(g.Name) > 0:
			return fmt.Sprintf("gate %s failed (%s), and ran %d tests before", g.Name, g.Why, s.Expected(g.Name))
		}
	}
	switch t := o.Tests; {
	case h.Tests == nil || !o.counted():
		return ""
	case t.Failed > h.Tests.Failed:
		return fmt.Sprintf("%d tests failed, and %d did before", t.Failed, h.Tests.Failed)
	case t.Passed < h.Tests.Passed:
		return fmt.Sprintf("%d tests passed, and %d did before", t.Passed, h.Tests.Passed)
	}
	return ""
}
