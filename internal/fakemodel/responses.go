package fakemodel

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"
)

// responses is OpenAI's Responses API.
type responses struct{ openAI }

func (responses) ends() []string { return []string{"/responses"} }

// called counts a run of the model's items as one reply.
func (responses) called(body object) []bool {
	var called []bool
	inReply := false
	for _, item := range body.objects("input") {
		call := strings.HasSuffix(item.text("type"), "_call")
		own := call || item.text("role") == "assistant" || item.text("type") == "reasoning"
		if own && !inReply {
			called = append(called, false)
		}
		if call {
			called[len(called)-1] = true
		}
		inReply = own
	}
	return called
}

func (d responses) response(o *reply, status string, output []any) object {
	r := object{
		"id": id("resp", o.n), "object": "response", "created_at": time.Now().Unix(), "status": status, "model": o.model,
		"output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
		"error": nil, "incomplete_details": nil, "usage": nil,
	}
	if status == "in_progress" {
		return r
	}
	if status == "incomplete" {
		r["incomplete_details"] = object{"reason": responsesStops[o.ending()]}
	}
	r["usage"] = object{
		"input_tokens": o.usage.prompt(), "input_tokens_details": object{"cached_tokens": o.usage.CacheRead},
		"output_tokens": o.usage.Output, "output_tokens_details": object{"reasoning_tokens": o.usage.Reasoning},
		"total_tokens": o.usage.prompt() + o.usage.Output,
	}
	return r
}

// responsesStops is why a response is not complete.
var responsesStops = map[string]string{"length": "max_output_tokens", "refusal": "content_filter"}

// status is how the whole response ends.
func (responses) status(o *reply) string {
	if responsesStops[o.ending()] != "" {
		return "incomplete"
	}
	return "completed"
}

// items are the parts of the reply, each as it is when it is complete.
func (responses) items(o *reply) []object {
	var items []object
	if o.turn.Thinking != "" {
		items = append(items, object{
			"id": id("rs", o.n), "type": "reasoning", "encrypted_content": nil,
			"summary": []any{object{"type": "summary_text", "text": o.turn.Thinking}},
		})
	}
	if o.speaks() {
		items = append(items, object{
			"id": id("msg", o.n), "type": "message", "status": "completed", "role": "assistant",
			"content": []any{outputText(o.turn.Text)},
		})
	}
	for i, c := range o.calls {
		item := object{"id": fmt.Sprintf("%s_%d", id("fc", o.n), i), "status": "completed", "call_id": c.id, "name": c.name}
		if c.space != "" {
			item["namespace"] = c.space
		}
		if c.custom {
			item["type"], item["input"] = "custom_tool_call", c.args
		} else {
			item["type"], item["arguments"] = "function_call", c.args
		}
		items = append(items, item)
	}
	return items
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}}
}

// event sends one of the numbered events.
func (responses) event(o *reply, name string, data object) {
	data["type"], data["sequence_number"] = name, o.seq
	o.seq++
	o.event(name, data)
}

func (d responses) stream(ctx context.Context, o *reply) {
	send := func(name string, data object) { d.event(o, name, data) }
	send("response.created", object{"response": d.response(o, "in_progress", []any{})})
	send("response.in_progress", object{"response": d.response(o, "in_progress", []any{})})
	var output []any
	for i, item := range d.items(o) {
		d.streamItem(ctx, o, item, func(name string, data object) {
			data["output_index"] = i
			send(name, data)
		})
		output = append(output, item)
	}
	o.close(ctx)
	status := d.status(o)
	send("response."+status, object{"response": d.response(o, status, output)})
}

// streamItem opens an item, fills it and closes it.
func (responses) streamItem(ctx context.Context, o *reply, item object, send func(string, object)) {
	opened := maps.Clone(item)
	if item["status"] != nil {
		opened["status"] = "in_progress"
	}
	at := func(part, key string, value any) object {
		return object{"item_id": item["id"], part: 0, key: value}
	}
	switch item["type"] {
	case "message":
		opened["content"] = []any{}
		send("response.output_item.added", object{"item": opened})
		send("response.content_part.added", at("content_index", "part", outputText("")))
		o.pieces(ctx, func(piece string) { send("response.output_text.delta", at("content_index", "delta", piece)) })
		send("response.output_text.done", at("content_index", "text", o.turn.Text))
		send("response.content_part.done", at("content_index", "part", outputText(o.turn.Text)))
	case "reasoning":
		opened["summary"] = []any{}
		send("response.output_item.added", object{"item": opened})
		send("response.reasoning_summary_part.added", at("summary_index", "part", object{"type": "summary_text", "text": ""}))
		send("response.reasoning_summary_text.delta", at("summary_index", "delta", o.turn.Thinking))
		send("response.reasoning_summary_text.done", at("summary_index", "text", o.turn.Thinking))
	case "function_call":
		opened["arguments"] = ""
		send("response.output_item.added", object{"item": opened})
		for _, half := range halves(item.text("arguments")) {
			send("response.function_call_arguments.delta", object{"item_id": item["id"], "delta": half})
		}
		send("response.function_call_arguments.done", object{"item_id": item["id"], "arguments": item["arguments"]})
	default:
		send("response.output_item.added", object{"item": opened})
	}
	send("response.output_item.done", object{"item": item})
}

func (d responses) whole(o *reply) object {
	var output []any
	for _, item := range d.items(o) {
		output = append(output, item)
	}
	return d.response(o, d.status(o), output)
}

func (d responses) breakOff(o *reply, e Error) {
	d.event(o, "response.failed", object{"response": object{
		"id": id("resp", o.n), "object": "response", "status": "failed", "output": []any{}, "usage": nil,
		"error": object{"code": e.Code, "message": e.Message},
	}})
}
