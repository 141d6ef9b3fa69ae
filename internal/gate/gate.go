// Package gate runs the runner's own checks after an attempt: a command, or a
// reviewer, in the work tree or in a clean checkout of it.
//
// A gate passes only on evidence. A command that ends with 0 although its tests
// failed, or that ran no tests where it should have run some, does not pass,
// nor does a reviewer who gave no verdict. What is red is told in a few words,
// and is measured against what was red before the run began. When gates run,
// and what a red one means for the run, is for others to decide.
package gate

import (
	"context"
	"io"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/text"
)

// Gate is one of the runner's own checks.
type Gate interface {
	Name() string
	Check(ctx context.Context, p Place) Result
}

// Place is where and how a gate runs.
type Place struct {
	Where loop.Place
	Dir   string
	Env   []string // the complete environment
	// Withheld are names of variables that are set and not in it.
	Withheld []string
	Log      io.Writer // gets every byte of the output, as it came; nil is none
	Exec     func(context.Context, proc.Spec) (loop.Exit, error)
	Hide     *redact.Redactor // what is secret is not told; nil: nothing is

	// Expect is how many tests this gate has run earlier in the run; 0 when it
	// ran none, or nobody knows. A gate that ran some cannot pass with none.
	Expect int
}

// Result is what a gate found. The tests of its loop.Gate are those that ran:
// a skipped test is not one of them.
type Result struct {
	loop.Gate
	Tests  *loop.Tests   // nil when no test runner was seen
	Report *tests.Report // the same, with the messages of failing tests
	Each   []loop.Test   // the same one by one, from a gate of a program's own; for people alone

	Tail    string // the end of the output, in whole lines, as plain text
	Telling string // the first line of a red gate's output that says what is missing
	Lacks   string // the variable that it was not given, and of which a red gate's output speaks

	// Interrupted says that it was ended from outside, and has found nothing.
	Interrupted bool
	// NoSpace says that it could not be run: the disk is full.
	NoSpace bool
}

// refuse gives the result of a gate that does not pass. Without a reason it
// passes.
func (r Result) refuse(why string) Result {
	r.OK, r.Why = why == "", why
	return r
}

// oneLine makes one short line of what a program printed.
func oneLine(s string, limit int) string { return text.Shorten(text.Fold(text.Printed(s)), limit) }
