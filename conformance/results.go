package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Results say how each test ended: "pass", "fail" or "skip".
type Results map[string]string

// Hear reads what "go test -json" prints, and copies what was said by tests
// that failed, and by the compiler, to told.
func Hear(r io.Reader, told io.Writer) (Results, error) {
	results := Results{}
	said := map[string]*strings.Builder{}
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 16<<20) // a line of output is as long as a script makes it
	for scan.Scan() {
		var e struct{ Action, Test, Output string }
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read the events of go test: %w", err)
		}
		switch e.Action {
		case "output":
			if said[e.Test] == nil {
				said[e.Test] = &strings.Builder{}
			}
			said[e.Test].WriteString(e.Output)
		case "build-output":
			fmt.Fprint(told, e.Output)
		case "pass", "skip":
			results[e.Test] = e.Action
			delete(said, e.Test)
		case "fail":
			results[e.Test] = e.Action
			if said[e.Test] != nil {
				fmt.Fprint(told, said[e.Test])
			}
		}
	}
	return results, scan.Err()
}
