package loop

// TestStatus is how one test ended.
type TestStatus string

// The ways a test ends.
const (
	StatusPassed  TestStatus = "passed"
	StatusFailed  TestStatus = "failed"
	StatusSkipped TestStatus = "skipped"
	StatusError   TestStatus = "error" // it did not load or was not set up, or what its runner calls an error
)

// Bad tells whether it is one that keeps a gate from passing.
func (s TestStatus) Bad() bool { return s == StatusFailed || s == StatusError }

// Test is one test of a gate.
type Test struct {
	Name     string     `json:"name"`
	Status   TestStatus `json:"status"`
	Duration Millis     `json:"duration_ms,omitempty"` // 0 when the runner does not tell
	Message  string     `json:"message,omitempty"`     // the first lines of what a failing one said
}
