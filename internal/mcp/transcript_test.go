package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTranscriptTellsWhatTheAgentSaidAndDid(t *testing.T) {
	one := 1
	s := newScene(t)
	r := s.run()
	r.begin(1, 1)
	for _, p := range []loop.Payload{
		&loop.AgentText{Text: "Looking.\x1b[31m\n\n"},
		&loop.AgentTool{Name: "Bash", Input: "go test\n./..."},
		&loop.AgentToolResult{Name: "Bash", Output: strings.Repeat("x", 1000) + "\nFAIL greet", Exit: &one},
		&loop.AgentToolResult{Name: "Write", Output: "not allowed", Denied: true},
		&loop.AgentToolResult{Name: "Read", Output: "ok"},
		&loop.AgentRetry{},
		&loop.AgentUsage{},
		&loop.AgentText{Text: "begin", Cut: true},
	} {
		r.tell(p)
	}
	got, cut, err := transcript(s.store.AttemptDir(r.name, 1, 1), 5000)
	want := "Looking.\n[Bash] go test ./...\n  failed: exit 1: …" + strings.Repeat("x", maxToolText-11) + " FAIL greet\n  denied: not allowed\n  ok\n" +
		"(the agent tries a request again)\nbegin\n(cut here: the file stdout has the whole text)\n"
	if err != nil || cut || got != want {
		t.Errorf("transcript = %q, %v, %v\nwant %q", got, cut, err, want)
	}
}

func TestTranscriptOfNothing(t *testing.T) {
	if got, cut, err := transcript(t.TempDir(), 100); got != "" || cut || err != nil {
		t.Errorf("transcript = %q, %v, %v", got, cut, err)
	}
}

// However long the parts are, what is given is the end of the whole.
func TestTranscriptIsTheEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScene(t)
		r := s.run()
		r.begin(1, 1)
		whole := ""
		for _, text := range rapid.SliceOf(rapid.StringMatching(`[aä ]{0,20}b`)).Draw(rt, "texts") {
			r.tell(&loop.AgentText{Text: text})
			whole += text + "\n"
		}
		most := rapid.IntRange(1, 60).Draw(rt, "most")
		got, cut, err := transcript(s.store.AttemptDir(r.name, 1, 1), most)
		length := utf8.RuneCountInString(whole)
		if err != nil || !strings.HasSuffix(whole, got) || utf8.RuneCountInString(got) != min(length, most) || cut != (length > most) {
			rt.Fatalf("the last %d of %q = %q, cut %v, %v", most, whole, got, cut, err)
		}
	})
}
