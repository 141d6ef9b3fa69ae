package agent

import (
	"cmp"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// native reads an event of grok's own way to say things, for commands of the
// user's that ask for it. A text comes in pieces, and so does a tool.
func (d *grokDialect) native(v value, r *report) {
	kind := v.str("type")
	if kind == "text" {
		d.text.add(r, v.str("data"))
		return
	}
	d.text.flush(r)
	switch kind {
	case "usage":
		d.turns++
		d.bill.count(usageOf(v.get("usage"), false))
		d.bill.total.Turns = d.turns
		r.used(d.bill.total, d.bill.context)
	case "tool_call":
		name := v.str("toolName")
		r.called(loop.AgentTool{ID: v.str("toolCallId"), Name: name, Input: gist(v.get("rawInput")), Shell: name == grokShell})
	case "tool_call_update":
		if v.is("completed", "status") || v.is("failed", "status") {
			d.nativeReturn(v, r)
		}
	case "error":
		r.failed(fault{text: cmp.Or(v.str("message"), "an error without a message")})
	case "end":
		d.nativeEnd(v, r)
	}
}

func (d *grokDialect) nativeReturn(v value, r *report) {
	result := loop.AgentToolResult{ID: v.str("toolCallId"), Failed: v.is("failed", "status")}
	var texts []string
	for _, block := range v.list("content") {
		texts = append(texts, block.str("content", "text"))
	}
	result.Output = strings.Join(texts, "\n")
	grokTold(v.get("rawOutput"), &result)
	d.deny(&result, r)
	r.returned(result)
}

func (d *grokDialect) nativeEnd(v value, r *report) {
	r.met(loop.AgentSession{Session: v.str("sessionId")})
	switch reason := v.str("stopReason"); {
	case reason == "end_turn":
		r.ended(loop.AgentResult{OK: true})
	case d.stopped != "":
		r.failed(fault{kind: "permission", text: "it was not allowed to use " + d.stopped + ", and stopped there"})
	default:
		r.failed(fault{kind: reason, text: "it ended before it was done (" + reason + ")"})
	}
}

func (d *grokDialect) end(_ loop.Exit, r *report) { d.text.flush(r) }
