package fakemodel

import (
	"bytes"
	"embed"
	"encoding/json"
	"maps"
	"testing"
)

// Script is what a server plays.
type Script struct {
	Comment string `json:"comment,omitempty"`
	Turns   []Turn `json:"turns"`
	// Index says how the turn for a request is chosen. "counter" (the default):
	// each main request takes the next turn, so retries and later processes go
	// on where the last one stopped. "conversation": turn N, where N counts the
	// tool-calling replies at the end of the request, so every fresh process
	// plays the script from the top and a retry gets the same turn again.
	Index string `json:"index,omitempty"`
	// After says what follows the last turn: "repeat" (the default) plays it
	// again, "loop" starts over, "stop" replies with the text "done".
	After string `json:"after,omitempty"`
	// Side says which requests (titles, routing, summaries) take no turn:
	// "no_tools" (the default), those that offer no tool, or "never".
	Side string `json:"side,omitempty"`
	// SideText is the reply to them.
	SideText string `json:"side_text,omitempty"`
	// Rules are tried first, on every request; the first match answers.
	Rules []Rule `json:"rules,omitempty"`
	// Vars are what ${NAME} stands for unless Load is told otherwise.
	Vars map[string]string `json:"vars,omitempty"`
}

// Rule answers any request whose body contains a text.
type Rule struct {
	Contains string `json:"contains"`
	Turn     Turn   `json:"turn"`
}

// Turn is one reply of the model.
type Turn struct {
	Thinking  string     `json:"thinking,omitempty"`
	Text      string     `json:"text,omitempty"`
	TextSize  int        `json:"text_size,omitempty"` // Text is padded to this many bytes
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Usage     *Usage     `json:"usage,omitempty"` // nil: a few tokens
	Stop      string     `json:"stop,omitempty"`  // "end", "tool", "length", "refusal"; else what the turn amounts to
	// DelayMS passes before the first byte, ChunkDelayMS between two pieces of
	// the text.
	DelayMS      int `json:"delay_ms,omitempty"`
	ChunkDelayMS int `json:"chunk_delay_ms,omitempty"`
	// Hang is where the server falls silent: "headers" before it answers at all,
	// "mid" after half the text, "end" before the stream's last events.
	Hang string `json:"hang,omitempty"`
	// Break is how the reply breaks off after half the text: "mid" cuts the
	// connection, "error" sends Error as an event of the stream.
	Break string `json:"break,omitempty"`
	// Error is the answer instead of a reply.
	Error *Error `json:"error,omitempty"`
	// Repeat plays the turn so many times; -1 is for ever. Only with "counter".
	Repeat int `json:"repeat,omitempty"`
}

// ToolCall is one call of a tool. "$shell" with {"command"} and "$write" with
// {"path","content"} become whichever tool of that kind the request offers, so
// that one script fits every agent.
type ToolCall struct {
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args,omitempty"`
	RawArgs *string         `json:"raw_args,omitempty"` // sent as it stands, broken or not
	Input   *string         `json:"input,omitempty"`    // for a tool that takes free text
}

// Usage is the token use that a reply reports, cached tokens apart.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read"`
	CacheWrite int `json:"cache_write"`
	Reasoning  int `json:"reasoning"`
}

// prompt is what the formats report that count the cache as input.
func (u Usage) prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

//go:embed scripts/*.json
var scripts embed.FS

// Load reads one of the scripts that come with the package, with ${NAME}
// replaced by what vars, or else the script itself, says.
func Load(t testing.TB, name string, vars map[string]string) Script {
	t.Helper()
	text, err := scripts.ReadFile("scripts/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(text, vars)
	if err != nil {
		t.Fatalf("script %s: %v", name, err)
	}
	return s
}

func parse(text []byte, vars map[string]string) (Script, error) {
	var head struct {
		Vars map[string]string `json:"vars"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Script{}, err
	}
	values := map[string]string{}
	maps.Copy(values, head.Vars)
	maps.Copy(values, vars)
	for name, value := range values {
		quoted := encode(value)
		text = bytes.ReplaceAll(text, []byte("${"+name+"}"), []byte(quoted[1:len(quoted)-1]))
	}
	var s Script
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Script{}, err
	}
	return s, s.check()
}
