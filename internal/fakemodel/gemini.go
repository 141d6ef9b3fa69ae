package fakemodel

import (
	"context"
	"net/http"
	"slices"
)

// gemini is Google's generateContent.
type gemini struct{}

func (gemini) ends() []string { return []string{":generateContent", ":streamGenerateContent"} }

func (gemini) called(body object) []bool {
	return calledIn(body.objects("contents"), "model", func(m object) bool {
		return slices.ContainsFunc(m.objects("parts"), func(p object) bool { return p["functionCall"] != nil })
	})
}

var geminiStops = map[string]string{"end": "STOP", "tool": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}

func (gemini) chunk(o *reply, candidate object) object {
	return object{"candidates": []any{candidate}, "modelVersion": o.model, "responseId": id("resp", o.n)}
}

func candidate(parts ...any) object {
	return object{"index": 0, "content": object{"role": "model", "parts": parts}}
}

func thought(o *reply) object { return object{"text": o.turn.Thinking, "thought": true} }

// last is a chunk that also says why the model stopped, and what it used.
func (d gemini) last(o *reply, parts ...any) object {
	c := candidate(parts...)
	c["finishReason"] = geminiStops[o.ending()]
	chunk := d.chunk(o, c)
	chunk["usageMetadata"] = object{
		"promptTokenCount": o.usage.prompt(), "cachedContentTokenCount": o.usage.CacheRead,
		"candidatesTokenCount": o.usage.Output, "thoughtsTokenCount": o.usage.Reasoning,
		"totalTokenCount": o.usage.prompt() + o.usage.Output + o.usage.Reasoning,
	}
	return chunk
}

func (gemini) callParts(o *reply) []any {
	var parts []any
	for _, c := range o.calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.name, "args": c.parsed()}})
	}
	return parts
}

func (d gemini) stream(ctx context.Context, o *reply) {
	if o.turn.Thinking != "" {
		o.event("", d.chunk(o, candidate(thought(o))))
	}
	o.pieces(ctx, func(piece string) { o.event("", d.chunk(o, candidate(object{"text": piece}))) })
	if parts := d.callParts(o); parts != nil {
		o.event("", d.chunk(o, candidate(parts...)))
	}
	o.close(ctx)
	o.event("", d.last(o, object{"text": ""}))
}

func (d gemini) whole(o *reply) object {
	var parts []any
	if o.turn.Thinking != "" {
		parts = append(parts, thought(o))
	}
	parts = append(parts, object{"text": o.turn.Text})
	return d.last(o, append(parts, d.callParts(o)...)...)
}

func (gemini) faultOf(p preset) fault { return p.gemini }

func (gemini) failure(_ http.Header, e Error) object {
	return object{"error": object{"code": e.Status, "message": e.Message, "status": e.Type}}
}

func (d gemini) breakOff(o *reply, e Error) { o.event("", d.failure(http.Header{}, e)) }
