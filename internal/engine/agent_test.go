package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
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

func TestWhatAProgramPrintedStaysThat(t *testing.T) {
	printed := func(s string) loop.Payload { return &loop.AgentText{Text: s, Plain: true} }
	said := joinTexts([]loop.Payload{printed("a"), printed("b"), &loop.AgentText{Text: "c"}})
	if len(said) != 2 || *said[0].(*loop.AgentText) != (loop.AgentText{Text: "a\nb", Plain: true}) || said[1].(*loop.AgentText).Plain {
		t.Errorf("joined = %+v %+v", said[0], said[1])
	}
	if long := brief(printed(strings.Repeat("x", 2*maxText))).(*loop.AgentText); !long.Plain || !long.Cut {
		t.Errorf("a long one is cut %v and plain %v", long.Cut, long.Plain)
	}
}

// What an agent wishes for holds only where nobody has said otherwise.
func TestChildEnv(t *testing.T) {
	cmd := agent.Command{Env: []string{"A=agent"}, Wish: []string{"A=wish", "B=wish", "C=wish"}, Unset: []string{"U"}}
	last := map[string]string{}
	for _, kv := range ChildEnv([]string{"A=user", "B=user", "U=user"}, cmd) {
		name, value, _ := strings.Cut(kv, "=")
		last[name] = value
	}
	if want := map[string]string{"A": "agent", "B": "user", "C": "wish"}; !maps.Equal(last, want) {
		t.Errorf("environment = %v, want %v", last, want)
	}
}
