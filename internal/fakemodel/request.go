package fakemodel

import (
	"encoding/json"
	"path"
	"strings"
)

// request is what an agent asks of the model.
type request struct {
	dialect dialect
	model   string
	stream  bool
	body    []byte
	tools   []tool // those that are offered
	replies int    // replies at the end of the conversation that called a tool
	n       int    // the number of the request
}

// read understands a request. Whatever it does not understand is left empty:
// an agent's next version must not need a next version of us.
func read(d dialect, url string, body []byte) *request {
	q := &request{dialect: d, body: body, model: "fake-model"}
	var o object
	_ = json.Unmarshal(body, &o)
	// Gemini names the model in the path, and there alone says how to answer.
	if model, verb, ok := strings.Cut(path.Base(url), ":"); ok {
		q.model, q.stream = model, strings.HasPrefix(verb, "stream")
	}
	if model := o.text("model"); model != "" {
		q.model = model
	}
	if stream, ok := o["stream"].(bool); ok {
		q.stream = stream
	}
	q.tools = offered(o.objects("tools"), "")
	// A reply without a tool call ended an earlier exchange, or is the canned
	// one that some agents open with: the script starts over after it.
	called := d.called(o)
	for i := len(called) - 1; i >= 0 && called[i]; i-- {
		q.replies++
	}
	return q
}

// calledIn is how the formats with a list of messages say what was called: by
// the replies of one role, in blocks below a key.
func calledIn(messages []object, role string, isCall func(object) bool) []bool {
	var called []bool
	for _, m := range messages {
		if m.text("role") == role {
			called = append(called, isCall(m))
		}
	}
	return called
}
