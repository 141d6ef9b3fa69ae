package refrain

import (
	"context"
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/testlist"
)

// What the tests of a gate came to.
type (
	GateTests  = testlist.Look   // what a gate saw of tests when it looked once
	TestResult = loop.Test       // one of them
	TestStatus = loop.TestStatus // how it ended
)

// How a test ended.
const (
	TestStatusPassed  = loop.StatusPassed
	TestStatusFailed  = loop.StatusFailed
	TestStatusSkipped = loop.StatusSkipped
	TestStatusError   = loop.StatusError // it did not load or was not set up, or what its runner calls an error
)

// Tests is what the gates saw of tests in an attempt at an iteration, each test with
// its status, time and message; attempt 0 is the last one, and iteration 0 is the time
// before the first. It is empty where no gate ran tests that could be read, and for
// runs of versions that did not keep them. What could be read is there beside an
// error about the rest.
func (r *Record) Tests(iteration, attempt int) ([]GateTests, error) {
	dir, err := r.dirOf(iteration, attempt)
	if err != nil {
		return nil, err
	}
	list, err := testlist.Read(context.Background(), dir)
	if err != nil {
		return list, fmt.Errorf("read the tests of iteration %d of %s: %w", iteration, r.Run, err)
	}
	return list, nil
}
