package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/price"
)

// What a stream does not tell is taken from the user's prices, and marked.
func TestUsageByThePricesOfTheUser(t *testing.T) {
	const (
		codex  = `{"type":"turn.completed","usage":{"input_tokens":1000000,"output_tokens":1000000}}`
		gemini = `{"type":"result","status":"success","stats":{"total_tokens":20,"input_tokens":10,"models":{"house":{"total_tokens":10,"input_tokens":10},"free":{"total_tokens":10,"input_tokens":10}}}}`
		pi     = `{"type":"message_end","message":{"role":"assistant","model":"house","usage":{"input":500,"output":500}}}`
		claude = `{"type":"result","subtype":"success","total_cost_usd":0.5,"modelUsage":{"house":{"inputTokens":500,"contextWindow":10}}}`
	)
	own := []price.Price{{Model: "house", Input: 1, Output: 2, Window: 4000}, {Model: "free"}}
	tests := []struct {
		name, format, model, line string
		want                      loop.Usage
	}{
		{"an estimate", "codex", "house", codex, loop.Usage{Input: 1e6, Output: 1e6, CostUSD: 3, CostEstimated: true}},
		{"a model that is free", "codex", "free", codex, loop.Usage{Input: 1e6, Output: 1e6}},
		{"a model that nobody knows", "codex", "x", codex, loop.Usage{Input: 1e6, Output: 1e6}},
		{"two models, one of them free", "gemini", "", gemini, loop.Usage{Input: 10, Output: 10, CostUSD: 1e-5, CostEstimated: true}},
		{"a context as large as the user says", "pi", "", pi, loop.Usage{Input: 500, Output: 500, CostUSD: 0.0015, CostEstimated: true, ContextPercent: 25}},
		{"a cost that the agent tells", "claude", "house", claude, loop.Usage{Input: 500, CostUSD: 0.5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := formats[tt.format](Options{Model: tt.model, Prices: own})
			all := d.Decode([]byte(tt.line))
			usage, ok := all[len(all)-1].(*loop.AgentUsage)
			if !ok {
				t.Fatalf("no usage in %+v", all)
			}
			if diff := cmp.Diff(tt.want, usage.Usage, approximately); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

// How full a context is comes from the last turn; who tells no turns tells
// nothing of it.
func TestContextIsUnknownWithoutTheLastTurn(t *testing.T) {
	const codex = `{"type":"turn.completed","usage":{"input_tokens":100000,"output_tokens":10}}`
	d := newCodexDecoder(Options{Model: "gpt-5"})
	if usage := d.Decode([]byte(codex))[0].(*loop.AgentUsage); usage.Usage.ContextPercent != 0 {
		t.Errorf("the context is full by %d%%, which codex does not tell", usage.Usage.ContextPercent)
	}
	all, _ := decodeLines("claude", exitOf(0, false), claudeInit,
		claudeSays("m1", `{"type":"text","text":"a"}`, 150_000, 1),
		claudeSays("m2", `{"type":"text","text":"b"}`, 39_000, 1)) // it has made room
	last := all[len(all)-1].(*loop.AgentUsage)
	if last.Usage.ContextPercent != 20 {
		t.Errorf("the context is full by %d%%, want 20%%", last.Usage.ContextPercent)
	}
}
