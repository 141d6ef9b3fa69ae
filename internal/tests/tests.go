// Package tests reads what test runners print: how many tests ran, how many
// passed, which failed and why, and the names of all that are named.
//
// It never guesses. What is not a test runner's own summary counts for nothing,
// and a runner that ran no test has not passed any. Each framework has a file;
// several that print one after the other are added up. What a result means for
// a run is for others to decide.
package tests

import (
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Status is how one test ended.
type Status string

// The ways a test ends.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// Test is one test that a runner named.
type Test struct {
	Name     string
	Status   Status
	Duration time.Duration // 0 when it was not printed
	Message  string        // why it failed, as far as it was printed
	Error    bool          // it failed, and not at what it tests: its runner calls that an error
}

// Report is what the test runs in one output showed. Total is their number;
// with 0 a runner said that there were none.
type Report struct {
	Framework string // several are joined by "+"
	Total     int
	Passed    int
	Failed    int
	Skipped   int
	Duration  time.Duration // 0 when it was not printed
	Failing   []Test        // the failing ones that were named, at most maxFailing

	// Named is every test that was named, each once, without its message; at most
	// maxNamed. A test has the same name however it ends, so two
	// reports of one runner can be compared. Those that pass are here only where
	// the runner prints them, mostly when it is told to be verbose; Complete
	// tells whether all are.
	Named     []Test
	MoreNamed bool // more were named than Named holds
}

// maxFailing is how many failing tests are kept by name. Nobody reads more, and
// an output without end must not fill the memory.
const maxFailing = 200

// add adds another report to this one.
func (r *Report) add(o Report) {
	r.Total += o.Total
	r.Passed += o.Passed
	r.Failed += o.Failed
	r.Skipped += o.Skipped
	r.Duration += o.Duration
	room := maxFailing - len(r.Failing)
	r.Failing = append(r.Failing, o.Failing[:min(room, len(o.Failing))]...)
	if len(r.Named) == 0 {
		r.Named = slices.Clone(o.Named)
	} else if len(o.Named) > 0 {
		var all names
		all.merge(r.Named)
		all.merge(o.Named)
		r.Named, r.MoreNamed = all.list, r.MoreNamed || all.more
	}
	r.MoreNamed = r.MoreNamed || o.MoreNamed
}

// Tests is the report in the words of an outcome.
func (r Report) Tests() *loop.Tests {
	t := &loop.Tests{Framework: r.Framework, Total: r.Total, Passed: r.Passed, Failed: r.Failed, Skipped: r.Skipped}
	for _, f := range r.Failing {
		t.Failing = append(t.Failing, f.Name)
	}
	return t
}
