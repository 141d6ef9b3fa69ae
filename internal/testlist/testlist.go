// Package testlist is what the tests of a gate came to, one by one: name, status,
// time, and what a failing one said.
//
// Each time that a gate has looked, a line of JSON is added to a file beside its log.
// The journal has the counts and the name of that file, so it does not grow with the
// number of tests. A list is bounded, failing tests come first in it, and what is left
// out is said. What the counts mean is for others to decide.
package testlist

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/text"
)

// Look is what one look of a gate saw of tests.
type Look struct {
	Gate  string     `json:"gate"`
	Where loop.Place `json:"where"`
	With  string     `json:"with,omitempty"` // on another tree than the one that is judged: a word for which

	Framework string `json:"framework,omitempty"`
	Total     int    `json:"total"`
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"` // errors too
	Skipped   int    `json:"skipped"`

	// Tests are those that the runner named: failing ones, then the slowest first.
	Tests []loop.Test `json:"tests"`
	Cut   bool        `json:"cut,omitempty"` // more were named than are kept
}

// Unlisted is how many tests are counted and not in the list: the runner does not
// name them, or it was cut.
func (l Look) Unlisted() int { return max(0, l.Total-len(l.Tests)) }

// How much is kept of one look. A project has rarely more tests, and a night has
// hundreds of looks.
const (
	maxTests = 10000
	maxBytes = 2 << 20
	maxText  = 500 // of a name, and of a message
)

// New is what a gate saw of tests: the counts, and each test as its runner printed it,
// or as a gate of a program's own gave it, who may know no more than which fail. It is
// not ok when there were none.
func New(report *tests.Report, counted *loop.Tests, each []loop.Test) (l Look, ok bool) {
	if counted == nil && each == nil {
		return Look{}, false
	}
	if counted == nil {
		counted = count(each)
	}
	l = Look{Framework: counted.Framework, Total: counted.Total, Passed: counted.Passed, Failed: counted.Failed, Skipped: counted.Skipped}
	switch {
	case report != nil:
		l.Tests, l.Cut = Of(report), report.MoreNamed
	case each != nil:
		for _, t := range each { // nobody has bounded these
			t.Name, t.Message = text.Cut(text.Valid(t.Name), maxText), text.Cut(text.Valid(t.Message), maxText)
			l.Tests = append(l.Tests, t)
		}
	default:
		for _, name := range counted.Failing {
			l.Tests = append(l.Tests, loop.Test{Name: name, Status: loop.StatusFailed})
		}
	}
	slices.SortStableFunc(l.Tests, func(a, b loop.Test) int {
		if a.Status.Bad() != b.Status.Bad() {
			if a.Status.Bad() {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Duration, a.Duration)
	})
	l.bound()
	return l, true
}

// count is how many of a list ended in which way.
func count(list []loop.Test) *loop.Tests {
	n := map[loop.TestStatus]int{}
	for _, t := range list {
		n[t.Status]++
	}
	return &loop.Tests{Total: len(list), Passed: n[loop.StatusPassed], Failed: n[loop.StatusFailed] + n[loop.StatusError], Skipped: n[loop.StatusSkipped]}
}

// Of is every test that a runner named, with what is said on the failing ones.
func Of(report *tests.Report) []loop.Test {
	if report == nil {
		return nil
	}
	said := map[string]tests.Test{}
	for _, t := range slices.Backward(report.Failing) { // of several, the first
		said[t.Name] = t
	}
	list := make([]loop.Test, 0, len(report.Named))
	for _, t := range report.Named {
		one := loop.Test{Name: t.Name, Status: loop.TestStatus(t.Status), Duration: loop.Millis(t.Duration)}
		if f, ok := said[t.Name]; ok && t.Status == tests.Failed {
			one.Message, one.Duration = f.Message, max(one.Duration, loop.Millis(f.Duration))
			delete(said, t.Name)
		}
		if t.Status == tests.Failed && t.Error {
			one.Status = loop.StatusError
		}
		list = append(list, one)
	}
	for _, t := range report.Failing { // where there was no more room for its name
		if f, left := said[t.Name]; left && f.Name != "" && report.MoreNamed {
			list = append(list, loop.Test{Name: f.Name, Status: loop.StatusFailed, Duration: loop.Millis(f.Duration), Message: f.Message})
			delete(said, t.Name)
		}
	}
	return list
}

// bound cuts the list where it becomes too long.
func (l *Look) bound() {
	size := 0
	for i, t := range l.Tests {
		size += len(t.Name) + len(t.Message)
		if i == maxTests || size > maxBytes {
			l.Tests, l.Cut = l.Tests[:i:i], true
			return
		}
	}
	if l.Tests == nil {
		l.Tests = []loop.Test{} // no null for scripts
	}
}

// Write adds a look to a file.
func (l Look) Write(to io.Writer) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = to.Write(append(b, '\n')) // in one piece: a reader sees all of a line, or none
	return err
}
