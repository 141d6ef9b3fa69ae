package hook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Func is a hook that is part of the program which runs the loop. It comes back soon
// when ctx is done; what it says does not count then.
type Func func(context.Context, Moment) Answer

// Moment is what a function is told.
type Moment struct {
	Run    string     // its name
	Dir    string     // the folder with its files
	Event  loop.Event // what a command would get on its stdin
	State  loop.State
	Limits loop.Limits
	Last   *loop.Outcome // of the last attempt, which may be the one that the event tells of
}

// Answer is what a function wants. The zero Answer is to go on.
type Answer struct {
	Action   Action
	Why      string
	Metadata map[string]string // kept with the iteration
}

// WithOwn is the set with functions of the program beside it.
func (s Set) WithOwn(own map[Point]Func) Set {
	s.own = own
	return s
}

// HasOwn tells whether a function of the program is a hook at this point.
func (s Set) HasOwn(p Point) bool { return s.own[p] != nil }

// Ask asks the function of a point. What means nothing there is to go on, as with a
// command.
func (s Set) Ask(ctx context.Context, p Point, m Moment) Result {
	began := time.Now()
	said := s.own[p](ctx, m)
	r := Result{Ran: true, Action: Continue, Exit: new(int), Metadata: said.Metadata, Duration: loop.Millis(time.Since(began))}
	if ctx.Err() != nil {
		r.Exit, r.Interrupted, r.Why = nil, true, "interrupted"
		return r
	}
	if said.Action == "" || said.Action == Continue {
		return r
	}
	status := slices.Index(statuses[p], said.Action)
	if status < 0 {
		r.Why = fmt.Sprintf("wants to %s, which means nothing here", actionWords[said.Action])
		r.Warning = &loop.Warning{Text: fmt.Sprintf("the %s hook of the program %s", p, r.Why), Hint: "it goes on"}
		return r
	}
	r.Action, r.Exit, r.Why = said.Action, &status, text.Line(said.Why)
	return r
}
