package term

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTranscriptIsTheAgentsWordsAlone(t *testing.T) {
	var b strings.Builder
	out := Transcript(&b, Options{})
	for _, p := range []loop.Payload{
		&loop.IterationStarted{},
		&loop.AgentText{Text: "Looking.\x1b[31m"},
		&loop.AgentTool{Name: "Bash", Input: "go test ./..."},
		&loop.AgentExited{},
	} {
		out.Observe(loop.Event{Iter: 1, Attempt: 1, Payload: p})
	}
	out.Close()
	for _, want := range []string{"Looking.", "Bash", "go test ./..."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("transcript %q lacks %q", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "\x1b") || strings.Contains(b.String(), "Iteration") {
		t.Errorf("transcript %q holds an escape or the runner's words", b.String())
	}
}
