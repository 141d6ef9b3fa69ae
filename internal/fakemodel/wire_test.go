package fakemodel

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// heard is what a client made of a reply, in whichever format it came.
type heard struct {
	Text, Thinking     string
	Calls              []heardCall
	In, Out, CacheRead int
	Stop               string
	Failed             string // the message of an error in the stream
}

type heardCall struct{ Name, Args string }

// tongue is a client of one format.
type tongue struct {
	name   string
	path   string // of a request that wants a stream, and of one that does not
	whole  string
	cached bool // the format counts cached tokens as input
	// ask is a request; turns says of each earlier reply whether it called a tool.
	ask func(tools []string, turns []bool) object
	// hear takes in one event of a stream, or a whole reply.
	hear func(*heard, object)
}

// tongues is a client for every format.
var tongues = []tongue{
	{name: "anthropic", path: "/v1/messages", whole: "/v1/messages", ask: askAnthropic, hear: hearAnthropic},
	{name: "responses", path: "/v1/responses", whole: "/v1/responses", cached: true, ask: askResponses, hear: hearResponses},
	{name: "chat", path: "/v1/chat/completions", whole: "/v1/chat/completions", cached: true, ask: askChat, hear: hearChat},
	{
		name: "gemini", path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent", whole: "/v1beta/models/gemini-2.5-pro:generateContent",
		cached: true, ask: askGemini, hear: hearGemini,
	},
}

func eachTongue(t *testing.T, test func(*testing.T, tongue)) {
	for _, g := range tongues {
		t.Run(g.name, func(t *testing.T) { test(t, g) })
	}
}

// post sends a request and gives the response, whose body the test closes.
func post(t *testing.T, ctx context.Context, url string, body object) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(encode(body)))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("POST %s: %v", url, err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// stream asks for a stream and listens to its end.
func (g tongue) stream(t *testing.T, s *Server, tools []string, turns ...bool) heard {
	t.Helper()
	body := g.ask(tools, turns)
	body["stream"] = true
	h, err := g.listen(post(t, t.Context(), s.URL+g.path, body).Body)
	if err != nil {
		t.Fatalf("the stream broke off: %v", err)
	}
	return h
}

// listen hears the events of a stream until it ends or breaks off.
func (g tongue) listen(body io.Reader) (heard, error) {
	return g.follow(body, func(heard) {})
}

// follow listens and tells after each event what was heard so far.
func (g tongue) follow(body io.Reader, tell func(heard)) (heard, error) {
	var h heard
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var event object
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return h, err
		}
		g.hear(&h, event)
		tell(h)
	}
	return h, lines.Err()
}

// reply asks for a reply in one piece.
func (g tongue) reply(t *testing.T, s *Server, tools []string) heard {
	t.Helper()
	var o object
	answer := post(t, t.Context(), s.URL+g.whole, g.ask(tools, nil))
	if err := json.NewDecoder(answer.Body).Decode(&o); err != nil {
		t.Fatal(err)
	}
	var h heard
	g.hear(&h, o)
	return h
}

func (o object) number(key string) int {
	n, _ := o[key].(float64)
	return int(n)
}

// last is the call that arguments now add to.
func (h *heard) last() *heardCall { return &h.Calls[len(h.Calls)-1] }

func askAnthropic(tools []string, turns []bool) object {
	var offers []any
	for _, name := range tools {
		offers = append(offers, object{"name": name, "input_schema": schemaFor(name)})
	}
	messages := []any{object{"role": "user", "content": "go"}}
	for _, called := range turns {
		block := object{"type": "text", "text": "so"}
		if called {
			block = object{"type": "tool_use", "id": "1", "name": "Bash", "input": object{}}
		}
		messages = append(messages, object{"role": "assistant", "content": []any{block}}, object{"role": "user", "content": "on"})
	}
	return object{"model": "m", "tools": offers, "messages": messages}
}

func hearAnthropic(h *heard, o object) {
	usage := func(u object) {
		h.In, h.Out, h.CacheRead = u.number("input_tokens"), u.number("output_tokens"), u.number("cache_read_input_tokens")
	}
	switch o.text("type") {
	case "message":
		for _, b := range o.objects("content") {
			h.Text += b.text("text")
			h.Thinking += b.text("thinking")
			if b.text("type") == "tool_use" {
				h.Calls = append(h.Calls, heardCall{b.text("name"), encode(b["input"])})
			}
		}
		h.Stop = o.text("stop_reason")
		usage(o.object("usage"))
	case "content_block_start":
		if b := o.object("content_block"); b.text("type") == "tool_use" {
			h.Calls = append(h.Calls, heardCall{Name: b.text("name")})
		}
	case "content_block_delta":
		delta := o.object("delta")
		h.Text += delta.text("text")
		h.Thinking += delta.text("thinking")
		if delta.text("type") == "input_json_delta" {
			h.last().Args += delta.text("partial_json")
		}
	case "message_delta":
		h.Stop = o.object("delta").text("stop_reason")
		usage(o.object("usage"))
	case "error":
		h.Failed = o.object("error").text("message")
	}
}

func askResponses(tools []string, turns []bool) object {
	var offers []any
	for _, name := range tools {
		offers = append(offers, object{"type": "function", "name": name, "parameters": schemaFor(name)})
	}
	input := []any{object{"role": "user", "content": "go"}}
	for _, called := range turns {
		input = append(input, object{"type": "reasoning"}, object{"type": "message", "role": "assistant"})
		if called {
			input = append(input, object{"type": "function_call", "call_id": "1"}, object{"type": "function_call_output", "call_id": "1"})
		} else {
			input = append(input, object{"role": "user", "content": "on"})
		}
	}
	return object{"model": "m", "tools": offers, "input": input}
}

func hearResponses(h *heard, o object) {
	switch o.text("type") {
	case "": // a whole reply
		for _, item := range o.objects("output") {
			hearResponses(h, object{"type": "response.output_item.done", "item": map[string]any(item)})
			for _, part := range item.objects("content") {
				h.Text += part.text("text")
			}
			for _, part := range item.objects("summary") {
				h.Thinking += part.text("text")
			}
		}
		hearResponses(h, object{"type": "response." + o.text("status"), "response": map[string]any(o)})
	case "response.output_text.delta":
		h.Text += o.text("delta")
	case "response.reasoning_summary_text.delta":
		h.Thinking += o.text("delta")
	case "response.output_item.done":
		if item := o.object("item"); item.text("type") == "function_call" {
			h.Calls = append(h.Calls, heardCall{item.text("name"), item.text("arguments")})
		}
	case "response.completed", "response.incomplete":
		r := o.object("response")
		u := r.object("usage")
		h.Stop = r.text("status")
		h.In, h.Out, h.CacheRead = u.number("input_tokens"), u.number("output_tokens"), u.object("input_tokens_details").number("cached_tokens")
	case "response.failed":
		h.Failed = o.object("response").object("error").text("message")
	}
}

func askChat(tools []string, turns []bool) object {
	var offers []any
	for _, name := range tools {
		offers = append(offers, object{"type": "function", "function": object{"name": name, "parameters": schemaFor(name)}})
	}
	messages := []any{object{"role": "user", "content": "go"}}
	for _, called := range turns {
		m := object{"role": "assistant", "content": "so"}
		if called {
			m["tool_calls"] = []any{object{"id": "1"}}
		}
		messages = append(messages, m, object{"role": "user", "content": "on"})
	}
	return object{"model": "m", "tools": offers, "messages": messages}
}

func hearChat(h *heard, o object) {
	for _, c := range o.objects("choices") {
		m := c.object("delta")
		if m == nil {
			m = c.object("message")
		}
		h.Text += m.text("content")
		h.Thinking += m.text("reasoning_content")
		for _, call := range m.objects("tool_calls") {
			f := call.object("function")
			if name := f.text("name"); name != "" {
				h.Calls = append(h.Calls, heardCall{Name: name})
			}
			h.last().Args += f.text("arguments")
		}
		h.Stop = c.text("finish_reason")
	}
	if u := o.object("usage"); u != nil {
		h.In, h.Out, h.CacheRead = u.number("prompt_tokens"), u.number("completion_tokens"), u.object("prompt_tokens_details").number("cached_tokens")
	}
	h.Failed = o.object("error").text("message")
}

func askGemini(tools []string, turns []bool) object {
	var declared []any
	for _, name := range tools {
		declared = append(declared, object{"name": name, "parametersJsonSchema": schemaFor(name)})
	}
	contents := []any{object{"role": "user", "parts": []any{object{"text": "go"}}}}
	for _, called := range turns {
		part := object{"text": "so"}
		if called {
			part = object{"functionCall": object{"name": "x"}}
		}
		contents = append(contents, object{"role": "model", "parts": []any{part}}, object{"role": "user"})
	}
	return object{"tools": []any{object{"functionDeclarations": declared}}, "contents": contents}
}

func hearGemini(h *heard, o object) {
	for _, c := range o.objects("candidates") {
		for _, p := range c.object("content").objects("parts") {
			if p["thought"] == true {
				h.Thinking += p.text("text")
			} else {
				h.Text += p.text("text")
			}
			if f := p.object("functionCall"); f != nil {
				h.Calls = append(h.Calls, heardCall{f.text("name"), encode(f["args"])})
			}
		}
		h.Stop = c.text("finishReason")
	}
	if u := o.object("usageMetadata"); u != nil {
		h.In, h.Out, h.CacheRead = u.number("promptTokenCount"), u.number("candidatesTokenCount"), u.number("cachedContentTokenCount")
	}
	h.Failed = o.object("error").text("message")
}

// schemaFor is the schema of the arguments of a tool, as some agent has it.
func schemaFor(tool string) object {
	text := object{"type": "string"}
	schemas := map[string]object{
		"Bash":              {"properties": object{"command": text, "description": text}},
		"exec_command":      {"properties": object{"cmd": text, "yield_time_ms": object{"type": "number"}, "tty": object{"type": "boolean"}}, "required": []any{"cmd", "yield_time_ms", "tty"}},
		"shell":             {"properties": object{"command": object{"type": "array"}, "why": text}, "required": []any{"why"}},
		"run_shell_command": {"properties": object{"command": text, "description": text}},
		"Write":             {"properties": object{"file_path": text, "content": text}},
		"write":             {"properties": object{"filePath": text, "content": text}},
		"create":            {"properties": object{"path": text, "file_text": text}},
	}
	return schemas[tool]
}
