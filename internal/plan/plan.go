// Package plan reads a plan: markdown with tasks to tick, in one file or in a
// folder of them.
//
// It tells what is open, in progress and done, and which tasks have vanished
// since it was last read. A plan that is missing, or has no task at all, is an
// error and never a finished plan, and so is one of which a part is missing.
// Where a plan is damaged, it errs towards open: a code fence or a comment that
// nobody closed hides no task.
//
// It also reads specs, and compares the two: which requirement no task is for,
// and which task no spec asks for. Whether the code does what they say is not
// its business.
package plan

import "github.com/refrain-loop/refrain/internal/loop"

// Tasks are the tasks of a plan, in the order of its files.
type Tasks []Task

// Task is one box of the plan.
type Task struct {
	Text    string `json:"description"` // of its first line, without comments, white space folded
	Status  Status `json:"status"`
	File    string `json:"file,omitempty"` // below the plan's folder, with slashes; not known to Parse
	Line    int    `json:"line_number"`    // from 1
	Depth   int    `json:"depth"`          // in how many list items it lies
	Section string `json:"section,omitempty"`

	Priority     *int     `json:"priority,omitempty"` // of its section, unless it has its own
	Refs         []Ref    `json:"spec_refs,omitempty"`
	Dependencies []string `json:"dependencies,omitempty"`
	Complexity   string   `json:"complexity,omitempty"`
	Notes        string   `json:"-"` // the lines below it that are no tasks
}

// Title is what a task asks for, without where it comes from: the name that people
// know it by.
func (t Task) Title() string { return fold(inBrackets().ReplaceAllString(t.Text, " ")) }

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

// MarshalText gives the name that scripts know from other tools.
func (s Status) MarshalText() ([]byte, error) {
	return []byte([]string{Open: "pending", InProgress: "in_progress", Done: "completed"}[s]), nil
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

// AtHand is the task that is to be done now: the first in progress, else the first
// that is open; empty when there is none.
func (t Tasks) AtHand() string {
	first := ""
	for _, task := range t {
		switch {
		case task.Status == InProgress:
			return task.Title()
		case task.Status == Open && first == "":
			first = task.Title()
		}
	}
	return first
}

// Finished tells whether there are tasks, and every one is done.
func (t Tasks) Finished() bool {
	count := t.Count()
	return count.Done > 0 && count.Open+count.InProgress == 0
}
