package fakemodel

import (
	"context"
	"io"
	"net/http"
	"time"
)

// chat is OpenAI's chat completions, the format of most other servers too.
type chat struct{ openAI }

func (chat) ends() []string { return []string{"/chat/completions"} }

func (chat) called(body object) []bool {
	return calledIn(body.objects("messages"), "assistant", func(m object) bool { return len(m.objects("tool_calls")) > 0 })
}

var chatStops = map[string]string{"end": "stop", "tool": "tool_calls", "length": "length", "refusal": "content_filter"}

func (chat) usage(o *reply) object {
	return object{
		"prompt_tokens": o.usage.prompt(), "prompt_tokens_details": object{"cached_tokens": o.usage.CacheRead},
		"completion_tokens": o.usage.Output, "completion_tokens_details": object{"reasoning_tokens": o.usage.Reasoning},
		"total_tokens": o.usage.prompt() + o.usage.Output,
	}
}

func (chat) completion(o *reply, kind string, choices ...any) object {
	return object{"id": id("chatcmpl", o.n), "object": kind, "created": time.Now().Unix(), "model": o.model, "choices": append([]any{}, choices...)}
}

func (d chat) stream(ctx context.Context, o *reply) {
	const kind = "chat.completion.chunk"
	send := func(delta object, finish any) {
		o.event("", d.completion(o, kind, object{"index": 0, "delta": delta, "finish_reason": finish}))
	}
	send(object{"role": "assistant", "content": ""}, nil)
	if o.turn.Thinking != "" {
		send(object{"reasoning_content": o.turn.Thinking}, nil)
	}
	o.pieces(ctx, func(piece string) { send(object{"content": piece}, nil) })
	for i, c := range o.calls {
		send(object{"tool_calls": []any{toolCall(i, c, "")}}, nil)
		for _, half := range halves(c.args) {
			send(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": half}}}}, nil)
		}
	}
	o.close(ctx)
	send(object{}, chatStops[o.ending()])
	last := d.completion(o, kind)
	last["usage"] = d.usage(o)
	o.event("", last)
	if !o.over {
		_, _ = io.WriteString(o.w, "data: [DONE]\n\n")
	}
}

func toolCall(i int, c call, args string) object {
	return object{"index": i, "id": c.id, "type": "function", "function": object{"name": c.name, "arguments": args}}
}

func (d chat) whole(o *reply) object {
	message := object{"role": "assistant", "content": o.turn.Text}
	if o.turn.Thinking != "" {
		message["reasoning_content"] = o.turn.Thinking
	}
	var calls []any
	for i, c := range o.calls {
		calls = append(calls, toolCall(i, c, c.args))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	all := d.completion(o, "chat.completion", object{"index": 0, "message": message, "finish_reason": chatStops[o.ending()]})
	all["usage"] = d.usage(o)
	return all
}

func (d chat) breakOff(o *reply, e Error) { o.event("", d.failure(http.Header{}, e)) }
