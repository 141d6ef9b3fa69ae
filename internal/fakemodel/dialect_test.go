package fakemodel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said is what every format must carry from end to end.
var said = Turn{
	Thinking:  "Hm.",
	Text:      "Grüße: a text that is long enough for several pieces.",
	ToolCalls: []ToolCall{{Name: "$shell", Args: []byte(`{"command":"echo ä <&> b"}`)}},
	Usage:     &Usage{Input: 100, Output: 7, CacheRead: 30, CacheWrite: 20},
}

func want(g tongue, stop string) heard {
	h := heard{
		Text: said.Text, Thinking: said.Thinking, Stop: stop, In: 100, Out: 7, CacheRead: 30,
		Calls: []heardCall{{"Bash", `{"command":"echo ä <&> b"}`}},
	}
	if g.cached {
		h.In = 150
	}
	return h
}

// stops is how the formats say that the model calls a tool, and that it was cut
// short.
var stops = map[string][2]string{
	"anthropic": {"tool_use", "max_tokens"},
	"responses": {"completed", "incomplete"},
	"chat":      {"tool_calls", "length"},
	"gemini":    {"STOP", "MAX_TOKENS"},
}

func TestEachDialectCarriesWhatTheScriptSays(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: []Turn{said}})
		if diff := cmp.Diff(want(g, stops[g.name][0]), g.stream(t, s, []string{"Bash"})); diff != "" {
			t.Errorf("streamed (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want(g, stops[g.name][0]), g.reply(t, s, []string{"Bash"})); diff != "" {
			t.Errorf("in one piece (-want +got):\n%s", diff)
		}
	})
}

func TestAStopThatTheScriptNamesIsSent(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: []Turn{{Text: "cut short", Stop: "length"}}})
		if got := g.stream(t, s, []string{"Bash"}).Stop; got != stops[g.name][1] {
			t.Errorf("stop = %q, want %q", got, stops[g.name][1])
		}
	})
}

func TestAnEmptyReplyIsStillAReply(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Load(t, "empty", nil))
		got := g.stream(t, s, []string{"Bash"})
		if got.Text != "" || got.Calls != nil || got.Stop == "" || got.Out == 0 {
			t.Errorf("got %+v, want an end and nothing else", got)
		}
	})
}

func TestTextIsPaddedToItsSize(t *testing.T) {
	eachTongue(t, func(t *testing.T, g tongue) {
		s := Start(t, Script{Turns: []Turn{{Text: "ab", TextSize: 5000}}})
		if got := len(g.stream(t, s, []string{"Bash"}).Text); got != 5000 {
			t.Errorf("%d bytes of text, want 5000", got)
		}
	})
}

func TestFreeTextGoesToACustomTool(t *testing.T) {
	s := Start(t, Script{Turns: []Turn{{ToolCalls: []ToolCall{{Name: "apply_patch", Input: new("*** Begin Patch")}}}}})
	body := askResponses(nil, nil)
	body["tools"] = []any{object{"type": "namespace", "name": "files", "tools": []any{object{"type": "custom", "name": "apply_patch"}}}}
	var o object
	decode(t, post(t, t.Context(), s.URL+"/v1/responses", body), &o)
	item := o.objects("output")[0]
	if item.text("type") != "custom_tool_call" || item.text("input") != "*** Begin Patch" {
		t.Errorf("item = %v, want a custom call with the text", item)
	}
}
