package view

import "github.com/refrain-loop/refrain/internal/loop"

// Figures is what a run changed, in numbers. Every face shows these and no
// others: a file that was changed in five iterations is one file.
type Figures struct {
	Files        int
	LinesAdded   int
	LinesRemoved int
	Commits      int
}

// Changed is what a run came to: the work tree now against that before the first
// iteration. Where that is not known, as in journals of earlier versions, it is
// the sum over the iterations. Commits are counted as they are made.
func Changed(net *loop.Changes, sum loop.Totals) Figures {
	f := Figures{Files: sum.Files, LinesAdded: sum.LinesAdded, LinesRemoved: sum.LinesRemoved, Commits: sum.Commits}
	if net != nil {
		f.Files, f.LinesAdded, f.LinesRemoved = net.Created+net.Modified+net.Deleted, net.LinesAdded, net.LinesRemoved
	}
	return f
}

// Net is the work tree now, or at the end, against that before the first
// iteration; nil when that is not known.
func (r *Run) Net() *loop.Changes {
	if r.Finished != nil && r.Finished.Net != nil {
		return r.Finished.Net
	}
	return r.Sum.Net
}

// Changed is what the run has come to so far.
func (r *Run) Changed() Figures { return Changed(r.Net(), r.Sum.Totals) }
