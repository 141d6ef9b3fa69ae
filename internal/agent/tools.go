package agent

import "github.com/refrain-loop/refrain/internal/loop"

// maxOpen bounds the tool calls that are remembered without a result. No agent
// has that many at once.
const maxOpen = 1000

// called reports a tool call and keeps its name for the result.
func (r *report) called(t loop.AgentTool) {
	r.wentOn()
	if t.ID != "" {
		if r.open == nil || len(r.open) >= maxOpen {
			r.open = map[string]string{}
		}
		r.open[t.ID] = t.Name
	}
	r.add(&t)
}

// returned reports what a tool gave back. Most dialects name only the call.
func (r *report) returned(t loop.AgentToolResult) {
	if t.Name == "" {
		t.Name = r.open[t.ID]
	}
	delete(r.open, t.ID)
	r.add(&t)
}

// gist is the one thing worth showing of a tool's input: the command, the
// path, the pattern. Of a tool that has none of these it is all of the input.
func gist(input value) string {
	for _, key := range []string{"command", "file_path", "filePath", "path", "pattern", "query", "url"} {
		if text := input.shown(key); text != "" {
			return text
		}
	}
	return input.shown()
}
