package loop

import "slices"

// Fingerprints are what tells one attempt from another: marks of the tests that fail, of
// what went wrong, and of the change that was made. Equal marks are equal things;
// an empty one says that there was nothing to mark.
type Fingerprints struct {
	Tests string `json:"tests,omitempty"`
	Error string `json:"error,omitempty"`
	Diff  string `json:"diff,omitempty"`
}

// Repeats counts iterations in a row that were alike.
type Repeats struct {
	Tests Repeat   `json:"tests,omitzero"`
	Error Repeat   `json:"error,omitzero"`
	Diff  Repeat   `json:"diff,omitzero"`
	Trees []string `json:"trees,omitempty" redact:"-"` // after the last two iterations
	Turns int      `json:"turns,omitempty"`            // how often in a row the files became what they were two iterations before
}

// Repeat is one thing and how often in a row it was there.
type Repeat struct {
	Mark string `json:"mark"`
	N    int    `json:"n"`
}

func (r Repeat) next(mark string) Repeat {
	switch mark {
	case "":
		return Repeat{}
	case r.Mark:
		return Repeat{mark, r.N + 1}
	}
	return Repeat{mark, 1}
}

// add compares a counted iteration with those before it. Tests that are better
// than ever are no repetition, whatever still fails, nor are those beside which
// a task of the plan got done; where none ran, nothing is known.
func (r Repeats) add(o Outcome, before Evidence) Repeats {
	var alike Fingerprints
	if o.Alike != nil {
		alike = *o.Alike
	}
	r.Error, r.Diff = r.Error.next(alike.Error), r.Diff.next(alike.Diff)
	if o.Tests != nil && o.Tests.Total > 0 {
		if before.Better(o.Tests) || o.tolerated() || slices.Contains(o.ProgressBy, InPlan) {
			alike.Tests = ""
		}
		r.Tests = r.Tests.next(alike.Tests)
	}
	if o.Tree != "" {
		back := len(r.Trees) == 2 && r.Trees[0] == o.Tree && r.Trees[1] != o.Tree
		if r.Turns++; !back {
			r.Turns = 0
		}
		r.Trees = lastN(append(slices.Clip(r.Trees), o.Tree), 2)
	}
	return r
}
