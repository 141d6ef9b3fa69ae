// Package hook runs the user's own commands at the fixed points of a run.
//
// A hook speaks by its exit status: 0 is to go on, and at some points 1 skips
// the iteration or 2 ends the run. Everything else that can happen to a hook,
// from a missing interpreter to a time limit, is a warning that says what to do
// about it, and never harms the run. A hook that is there but is not run, since
// it is not executable or its name is misspelt, is a warning too. When a point
// has come, and what a skip or an end means for the run, is for others to say.
//
// Stop scripts are run by the same hands.
package hook

import (
	"context"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Folder is where the hooks of a work tree are, written with slashes.
const Folder = ".refrain/hooks"

// Point is a moment in a run at which a hook can speak. It is also the name of
// the hook's file.
type Point string

// The points, in the order of a run.
const (
	Started       Point = "started"        // each time a run starts or resumes
	NextIteration Point = "next_iteration" // before an iteration
	PostIteration Point = "post_iteration" // after it
	Failed        Point = "failed"
	Finished      Point = "finished" // once, before the run's end is written down
)

// Points lists them all.
func Points() []Point { return []Point{Started, NextIteration, PostIteration, Failed, Finished} }

// Action is what a hook wants of the run.
type Action string

// The actions.
const (
	Continue Action = "continue"
	Skip     Action = "skip"  // the iteration
	Abort    Action = "abort" // the run
)

// statuses are the exit statuses that mean something at each point. A skip
// needs an iteration that is still to come, an end a run that is not ending.
var statuses = map[Point][]Action{
	Started:       {0: Continue, 2: Abort},
	NextIteration: {0: Continue, 1: Skip, 2: Abort},
	PostIteration: {0: Continue, 2: Abort},
	Failed:        {0: Continue},
	Finished:      {0: Continue},
}

// action is what an exit status means at this point; "" is nothing.
func (p Point) action(status int) Action {
	list := statuses[p]
	if status < 0 || status >= len(list) {
		return ""
	}
	return list[status]
}

var actionWords = map[Action]string{Continue: "go on", Skip: "skip the iteration", Abort: "end the run"}

// usage says what a hook at this point can exit with.
func (p Point) usage() string {
	var ways []string
	for status, action := range statuses[p] {
		if action != "" {
			ways = append(ways, fmt.Sprintf("%d to %s", status, actionWords[action]))
		}
	}
	return "a " + string(p) + " hook can exit with " + strings.Join(ways, ", ")
}

// Set is the hooks of a run. The zero Set has none.
type Set struct {
	hooks map[Point]source
	own   map[Point]Func // of the program that runs the loop; they come after the commands
}

// source is a hook as the user gave it.
type source struct {
	name string // in the words of the user
	argv []string
	role proc.Role
}

// Has tells whether there is a hook at this point.
func (s Set) Has(p Point) bool { return s.HasCommand(p) || s.HasOwn(p) }

// HasCommand tells whether a command is one.
func (s Set) HasCommand(p Point) bool {
	_, ok := s.hooks[p]
	return ok
}

// Result is what came of a point.
type Result struct {
	Ran    bool // there is a hook here, and it was run, or tried
	Action Action
	By     string // loop.ByProgram: it is a function of the program's; empty: a command
	Exit   *int   // nil when it did not end by itself, with a status

	// Why is what a hook that skips or aborts said last, if anything, and else
	// what went wrong with it. It is empty when all is well.
	Why     string
	Warning *loop.Warning // what went wrong, for people

	// Interrupted says that it was ended from outside, and wants nothing.
	Interrupted bool
	Duration    loop.Millis
	Metadata    map[string]string // what it has to say of the iteration
	Unread      *loop.Warning     // what of that makes no sense
}

// Run runs the hook of a point, if there is one, to its end.
func (s Set) Run(ctx context.Context, p Point, c Call) Result {
	hook, ok := s.hooks[p]
	if !ok {
		return Result{Action: Continue}
	}
	c.role = hook.role
	end := c.run(ctx, hook.argv)
	r := Result{Ran: true, Action: Continue, Exit: end.status, Interrupted: end.interrupted, Duration: loop.Millis(end.took)}
	r.Metadata, r.Unread = metadata(p, c.Metadata)
	if end.interrupted {
		r.Why = "interrupted"
		return r
	}
	if end.status != nil {
		switch action := p.action(*end.status); action {
		case Continue:
			return r
		case Skip, Abort:
			r.Action, r.Why = action, end.said
			return r
		}
		end.trouble = fmt.Sprintf("exited with status %d, which means nothing here and counts as 0", *end.status)
		end.hint = p.usage()
	}
	if end.timedOut {
		end.hint = "make it faster, or raise hooks.timeout"
	}
	r.Why = end.why()
	r.Warning = &loop.Warning{Text: fmt.Sprintf("the %s hook (%s) %s", p, hook.name, r.Why), Hint: end.hint}
	return r
}
