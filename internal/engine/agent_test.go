package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTextsThatCameTogetherAreOneEvent(t *testing.T) {
	text := func(s string) loop.Payload { return &loop.AgentText{Text: s} }
	tool := &loop.AgentTool{Name: "Bash"}
	said := joinTexts([]loop.Payload{text("a"), text("b\nc"), tool, text(""), text("d"), text(strings.Repeat("x", joinedText)), text("e")})
	var got []string
	for _, p := range said {
		if t, ok := p.(*loop.AgentText); ok {
			got = append(got, t.Text[:min(len(t.Text), 5)])
		} else {
			got = append(got, string(p.Type()))
		}
	}
	if want := []string{"a\nb\nc", "agent.tool", "\nd", "xxxxx", "e"}; !slices.Equal(got, want) {
		t.Errorf("joined = %q, want %q", got, want)
	}
}
