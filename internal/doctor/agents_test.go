package doctor

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestListsTheAgents(t *testing.T) {
	tree := story.NewTree(t, `
[agents.rehearsal]
script = "play.toml"
[agents.mine]
command = "not-there --api-key hunter2"
`)
	needs, err := request.Load(tree, request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]string{}
	t.Setenv("PATH", t.TempDir()) // nothing is installed
	for _, a := range Agents(t.Context(), needs) {
		called[a.Name] = a.CalledAs()
		if a.Found != (a.Name == "command" || a.Name == "rehearsal") {
			t.Errorf("%s: found = %v", a.Name, a.Found)
		}
	}
	if got, want := called["rehearsal"], "plays play.toml"; got != want {
		t.Errorf("rehearsal is called as %q, want %q", got, want)
	}
	if got := called["mine"]; strings.Contains(got, "hunter2") || !strings.Contains(got, "not found on PATH") {
		t.Errorf("mine is called as %q, want it masked and not found", got)
	}
	if !strings.Contains(called["claude"], "claude -p --output-format stream-json") {
		t.Errorf("claude is called as %q", called["claude"])
	}
}
