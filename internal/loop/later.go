package loop

import "slices"

// Later is what a run leaves in the work tree that runs by itself afterwards, or
// has other content than when the run began. It goes with Net: where that is not
// known, neither is this.
type Later struct {
	RunsLater     []LaterFile `json:"runs_later,omitempty"`
	RunsLaterMore int         `json:"runs_later_more,omitempty"` // files that are not named
}

// LaterFile is a file that runs by itself, and was changed or made in the run.
type LaterFile struct {
	Path string `json:"path"`           // from the work tree
	What string `json:"what"`           // who runs it: "CI", "git", "gate test"
	Part string `json:"part,omitempty"` // which part of it was changed, where only some of it runs: "scripts"
	// Iteration is the last that changed it; left out when none did: hooks, gates
	// and people work in the tree as well.
	Iteration int `json:"iteration,omitempty"`
}

// After is the list with the iterations that an earlier one knew.
func (l Later) After(known Later) Later {
	l.RunsLater = slices.Clone(l.RunsLater)
	for i, file := range l.RunsLater {
		for _, before := range known.RunsLater {
			if before.Path == file.Path {
				l.RunsLater[i].Iteration = before.Iteration
			}
		}
	}
	return l
}

// Until is the list without the iterations after one to which the files were put
// back: who changed a file before is not known then.
func (l Later) Until(iteration int) Later {
	l.RunsLater = slices.Clone(l.RunsLater)
	for i := range l.RunsLater {
		if l.RunsLater[i].Iteration > iteration {
			l.RunsLater[i].Iteration = 0
		}
	}
	return l
}
