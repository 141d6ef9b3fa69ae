package gate

import (
	"encoding/json"
	"strings"
)

// unwrap gives what "go test -json" wraps into events as it would be without
// them: what was printed, and nothing else. Other lines stay as they are.
func unwrap(text string) string {
	if !strings.Contains(text, `"Action":"`) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		var event struct{ Action, Output string }
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &event) == nil && event.Action != "" {
			line = event.Output
		}
		b.WriteString(line)
	}
	return b.String()
}
