package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// costOf is what tokens of a model cost, 0 without a price.
func costOf(model string, u loop.Usage, own ...Price) float64 {
	p, _ := priceOf(model, own)
	return p.cost(u)
}

func TestPricesGoByTheLongestName(t *testing.T) {
	million := loop.Usage{Input: 1e6}
	for name, want := range map[string]float64{
		"gpt-5-codex":              1.25,
		"openai/gpt-5-codex":       1.25,
		"GPT-5":                    1.25,
		"gpt-5-mini-2025-08-07":    0.25,
		"claude-opus-4-8[1m]":      5,
		"claude-opus-4-1-20250805": 15,
		"claude-opus-4-7":          5,
		"gpt-5.9":                  0, // another model, not a kind of gpt-5
		"gpt-50":                   0,
		"fake-model":               0,
		"":                         0,
	} {
		if got := costOf(name, million); got != want {
			t.Errorf("a million tokens of %q cost %v, want %v", name, got, want)
		}
	}
}

func TestEstimatesAddUpEveryKindOfToken(t *testing.T) {
	got := costOf("claude-opus-4-8", loop.Usage{Input: 1350, Output: 110, CacheRead: 1900, CacheWrite: 1050})
	if diff := got - 0.0170125; diff > 1e-9 || diff < -1e-9 { // as the agent itself has it
		t.Errorf("estimate = %v, want 0.0170125", got)
	}
}

func TestContextWindows(t *testing.T) {
	for name, want := range map[string]int{
		"claude-opus-4-8":     200_000,
		"claude-opus-4-8[1m]": 1_000_000,
		"fake-model":          0,
	} {
		if got := windowOf(name); got != want {
			t.Errorf("window of %q = %d, want %d", name, got, want)
		}
	}
}

func TestThePricesOfTheUserWin(t *testing.T) {
	own := []Price{
		{Model: "gpt-5", Input: 100},
		{Model: "gpt-5-codex", Input: 7},
		{Model: "Local/Llama3", Input: 0, Window: 8192},
		{Model: "house", Input: 3},
		{Model: "", Input: 1000},
	}
	million := loop.Usage{Input: 1e6}
	for name, want := range map[string]float64{
		"gpt-5-codex-max":  7,   // the longer of two
		"gpt-5-mini":       100, // though ours is longer
		"gpt-5.1":          1.25,
		"openai/gpt-5":     100,
		"local/llama3:8b":  0,
		"other/house-2":    3,
		"claude-sonnet-4":  3,
		"model-of-no-name": 0,
	} {
		if got := costOf(name, million, own...); got != want {
			t.Errorf("a million tokens of %q cost %v, want %v", name, got, want)
		}
	}
	if _, known := priceOf("local/llama3:8b", own); !known {
		t.Error("a price of nothing is not known")
	}
	if _, known := priceOf("model-of-no-name", own); known {
		t.Error("a price without a model fits a model")
	}
}

// Whoever does not tell cached tokens apart must not get them for nothing.
func TestCachedTokensCostAsMuchAsOthersUnlessSaid(t *testing.T) {
	cached := loop.Usage{CacheRead: 1e6, CacheWrite: 1e6}
	if got := (Price{Input: 2}).cost(cached); got != 4 {
		t.Errorf("cached tokens without a price of their own cost %v, want 4", got)
	}
	if got := (Price{Input: 2, CacheRead: 0.5, CacheWrite: 3}).cost(cached); got != 3.5 {
		t.Errorf("cached tokens cost %v, want 3.5", got)
	}
	if got := (Price{}).cost(cached); got != 0 {
		t.Errorf("cached tokens of a free model cost %v", got)
	}
}

func TestPricesAreListedInOrder(t *testing.T) {
	list := Prices()
	if len(list) != len(builtIn) || !slices.IsSortedFunc(list, func(a, b Price) int { return strings.Compare(a.Model, b.Model) }) {
		t.Errorf("Prices() = %+v", list)
	}
	for i, p := range list {
		if p.Model == "" || p.Model != strings.ToLower(p.Model) || p.Input <= 0 || p.Output <= 0 || p.CacheRead <= 0 || p.CacheWrite <= 0 || p.Window <= 0 {
			t.Errorf("an incomplete price: %+v", p)
		}
		if i > 0 && list[i-1].Model == p.Model {
			t.Errorf("two prices of %s", p.Model)
		}
	}
	list[0].Input = 99
	if Prices()[0].Input == 99 {
		t.Error("the list can be changed from outside")
	}
}

// What a stream does not tell is taken from the user's prices, and marked.
func TestUsageByThePricesOfTheUser(t *testing.T) {
	const (
		codex  = `{"type":"turn.completed","usage":{"input_tokens":1000000,"output_tokens":1000000}}`
		gemini = `{"type":"result","status":"success","stats":{"total_tokens":20,"input_tokens":10,"models":{"house":{"total_tokens":10,"input_tokens":10},"free":{"total_tokens":10,"input_tokens":10}}}}`
		pi     = `{"type":"message_end","message":{"role":"assistant","model":"house","usage":{"input":500,"output":500}}}`
		claude = `{"type":"result","subtype":"success","total_cost_usd":0.5,"modelUsage":{"house":{"inputTokens":500,"contextWindow":10}}}`
	)
	own := []Price{{Model: "house", Input: 1, Output: 2, Window: 4000}, {Model: "free"}}
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
