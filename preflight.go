package refrain

import (
	"context"

	"github.com/refrain-loop/refrain/internal/app"
)

// Trouble is something that a run would trip over.
type Trouble struct {
	About string // such as "agent claude", "gate test", "prompt" or "limits"
	What  string
	Hint  string // what to do about it
	// Worry says that the command "refrain run" would only warn of it. It refuses to
	// start for all else.
	Worry bool
}

// Preflight tells what a run with these options would trip over, before anything is
// paid for: programs that are not there, an agent that nobody is signed in to, a
// prompt that nobody has filled in. It sets no agent to work, runs no gate, writes
// nothing and takes about a second. Run looks only whether the agent is there: a run
// that is in other trouble ends, and says why.
//
// The error is a *UsageError when the options or the settings make no sense.
func Preflight(ctx context.Context, o Options) ([]Trouble, error) {
	o.Control = looking(o.Control)
	req, err := o.request()
	if err != nil {
		return nil, public(err)
	}
	job, err := app.Prepare(ctx, orHere(o.Dir), req)
	if err != nil {
		return nil, bySet(public(err), o.Set)
	}
	var list []Trouble
	for _, f := range job.Preflight(ctx) {
		list = append(list, Trouble{About: f.Name, What: inGo(f.What), Hint: inGo(f.Hint), Worry: f.Worry})
	}
	return list, nil
}
