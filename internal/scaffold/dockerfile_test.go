package scaffold

import (
	"strings"
	"testing"
)

// Every kind of project has an image to begin with.
func TestDockerfile(t *testing.T) {
	for _, row := range table {
		got := Dockerfile(Project{Main: Toolchain{Kind: row.kind}}, "claude")
		if got.Path != ".refrain/Dockerfile" || !strings.Contains(got.Text, "\nFROM "+bases[row.kind]+"\n") || bases[row.kind] == "" {
			t.Errorf("%s: no image to begin with:\n%s", row.kind, got.Text)
		}
		if !strings.Contains(got.Text, "\nRUN npm install -g @anthropic-ai/claude-code\n") {
			t.Errorf("%s: no agent:\n%s", row.kind, got.Text)
		}
		if strings.Contains(got.Text, "--from=node") == (row.kind == Node) {
			t.Errorf("%s: Node.js twice, or not at all:\n%s", row.kind, got.Text)
		}
	}
	if got := Dockerfile(Project{Main: Toolchain{Kind: Generic}, Parts: []Part{{Dir: "web", Toolchain: Toolchain{Kind: Bun}}}}, "amp").Text; !strings.Contains(got, "\nFROM oven/bun:debian\n") || !strings.Contains(got, "\n# RUN npm install") {
		t.Errorf("a part, and an agent that is not known:\n%s", got)
	}
}
