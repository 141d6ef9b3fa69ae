// Package plan reads a plan: a markdown file with tasks to tick.
//
// It tells what is open, in progress and done, and which tasks have vanished
// since it was last read. A plan that is missing, or has no task at all, is an
// error and never a finished plan. Where a plan is damaged, it errs towards
// open: a code fence or a comment that nobody closed hides no task.
package plan

import "github.com/refrain-loop/refrain/internal/loop"

// Tasks are the tasks of a plan, in the order of the file.
type Tasks []Task

// Task is one box of the plan.
type Task struct {
	Text    string // of its first line, without comments, white space folded
	Status  Status
	Line    int    // from 1
	Depth   int    // in how many list items it lies
	Section string // the text of the heading above it
}

// Status is how far a task has come.
type Status int

// The states of a task.
const (
	Open       Status = iota // [ ], and any mark that is not one of those below
	InProgress               // [~]
	Done                     // [x] or [X]
)

func (s Status) String() string {
	switch s {
	case InProgress:
		return "in progress"
	case Done:
		return "done"
	}
	return "open"
}

// Count is the plan in the words of an outcome. What was lost is not known
// from one plan alone.
func (t Tasks) Count() loop.Plan {
	var count loop.Plan
	for _, task := range t {
		switch task.Status {
		case InProgress:
			count.InProgress++
		case Done:
			count.Done++
		default:
			count.Open++
		}
	}
	return count
}

// Finished tells whether there are tasks, and every one is done.
func (t Tasks) Finished() bool {
	count := t.Count()
	return count.Done > 0 && count.Open+count.InProgress == 0
}
