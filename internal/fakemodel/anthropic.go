package fakemodel

import (
	"context"
	"net/http"
	"slices"
	"strconv"
)

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) ends() []string { return []string{"/messages"} }

func (anthropic) called(body object) []bool {
	return calledIn(body.objects("messages"), "assistant", func(m object) bool {
		return slices.ContainsFunc(m.objects("content"), func(b object) bool { return b["type"] == "tool_use" })
	})
}

var anthropicStops = map[string]string{"end": "end_turn", "tool": "tool_use", "length": "max_tokens", "refusal": "refusal"}

func (anthropic) usage(o *reply) object {
	return object{
		"input_tokens": o.usage.Input, "output_tokens": o.usage.Output,
		"cache_creation_input_tokens": o.usage.CacheWrite, "cache_read_input_tokens": o.usage.CacheRead,
		"cache_creation": object{"ephemeral_5m_input_tokens": o.usage.CacheWrite, "ephemeral_1h_input_tokens": 0},
		"service_tier":   "standard",
	}
}

func (anthropic) message(o *reply, content []any, stop any, usage object) object {
	return object{
		"id": id("msg", o.n), "type": "message", "role": "assistant", "model": o.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
}

func (d anthropic) stream(ctx context.Context, o *reply) {
	usage := d.usage(o)
	usage["output_tokens"] = 1 // as with the real one, whose count comes at the end
	send := func(name string, data object) {
		data["type"] = name
		o.event(name, data)
	}
	send("message_start", object{"message": d.message(o, []any{}, nil, usage)})
	send("ping", object{})
	index := 0
	block := func(start object, fill func(delta func(object))) {
		send("content_block_start", object{"index": index, "content_block": start})
		fill(func(delta object) { send("content_block_delta", object{"index": index, "delta": delta}) })
		send("content_block_stop", object{"index": index})
		index++
	}
	if o.turn.Thinking != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""}, func(delta func(object)) {
			delta(object{"type": "thinking_delta", "thinking": o.turn.Thinking})
			delta(object{"type": "signature_delta", "signature": signature})
		})
	}
	if o.speaks() {
		block(object{"type": "text", "text": ""}, func(delta func(object)) {
			o.pieces(ctx, func(piece string) { delta(object{"type": "text_delta", "text": piece}) })
		})
	}
	for _, c := range o.calls {
		block(object{"type": "tool_use", "id": c.id, "name": c.name, "input": object{}}, func(delta func(object)) {
			for _, half := range halves(c.args) {
				delta(object{"type": "input_json_delta", "partial_json": half})
			}
		})
	}
	o.close(ctx)
	send("message_delta", object{
		"delta": object{"stop_reason": anthropicStops[o.ending()], "stop_sequence": nil},
		"usage": d.usage(o),
	})
	send("message_stop", object{})
}

// signature stands for the one that a real server puts below its thinking.
const signature = "ZmFrZQ=="

func (d anthropic) whole(o *reply) object {
	var content []any
	if o.turn.Thinking != "" {
		content = append(content, object{"type": "thinking", "thinking": o.turn.Thinking, "signature": signature})
	}
	if o.speaks() {
		content = append(content, object{"type": "text", "text": o.turn.Text})
	}
	for _, c := range o.calls {
		content = append(content, object{"type": "tool_use", "id": c.id, "name": c.name, "input": c.parsed()})
	}
	return d.message(o, content, anthropicStops[o.ending()], d.usage(o))
}

func (anthropic) faultOf(p preset) fault { return p.anthropic }

func (anthropic) failure(h http.Header, e Error) object {
	if e.Kind == "usage_limit" {
		resets := strconv.FormatInt(e.resets().Unix(), 10)
		h.Set("anthropic-ratelimit-unified-status", "rejected")
		h.Set("anthropic-ratelimit-unified-reset", resets)
		h.Set("anthropic-ratelimit-unified-representative-claim", "five_hour")
		h.Set("anthropic-ratelimit-unified-5h-status", "rejected")
		h.Set("anthropic-ratelimit-unified-5h-reset", resets)
	}
	return object{"type": "error", "error": object{"type": e.Type, "message": e.Message}, "request_id": h.Get("request-id")}
}

func (anthropic) breakOff(o *reply, e Error) {
	o.event("error", object{"type": "error", "error": object{"type": e.Type, "message": e.Message}})
}
