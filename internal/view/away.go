package view

import "github.com/refrain-loop/refrain/internal/loop"

// Away is where a run is that others do, on other machines.
type Away struct {
	Called string // what people call it there
	Remote string // the repository of its work, as people may see it
	Branch string // that its work becomes there
	Who    string // who has it, in a few words
	Over   bool   // nobody goes on with it there
}

// next is what to type after looking at a run that nobody is at: to take the work, or to
// go on.
func (a *Away) next(r *Run) []Step {
	show := Step{r.Typed("show"), "how it went"}
	here := Step{"refrain carry fetch " + r.ID + " " + shell(a.Remote) + " --trust", "go on with it here"}
	switch {
	case a.Rests(r.State):
		return []Step{{r.Typed("resume"), "wait no longer"}, {r.Typed("stop"), "give up"}}
	case r.State == loop.Done && a.Branch != "":
		return []Step{{"git fetch " + shell(a.Remote) + " " + shell(a.Branch), "take the work"}, show}
	case r.State == loop.Done:
		return []Step{show}
	}
	return []Step{here, show}
}

// Rests tells whether a run that nobody is at goes on by itself.
func (a *Away) Rests(state loop.Status) bool { return a != nil && !a.Over && state == loop.Parked }

// Where is where the work of the run is, on one line; empty: on this machine.
func (a *Away) Where() string {
	if a == nil || a.Branch == "" {
		return a.remote()
	}
	return a.Remote + ", branch " + a.Branch
}

func (a *Away) remote() string {
	if a == nil {
		return ""
	}
	return a.Remote
}
