package price

import (
	"slices"
	"strings"
	"testing"
)

// costOf is what tokens of a model cost, 0 without a price.
func costOf(model string, u Tokens, own ...Price) float64 {
	p, _ := Of(model, own)
	return p.Cost(u)
}

func TestPricesGoByTheLongestName(t *testing.T) {
	million := Tokens{Input: 1e6}
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
	got := costOf("claude-opus-4-8", Tokens{Input: 1350, Output: 110, CacheRead: 1900, CacheWrite: 1050})
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
		if got := Window(name); got != want {
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
	million := Tokens{Input: 1e6}
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
	if _, known := Of("local/llama3:8b", own); !known {
		t.Error("a price of nothing is not known")
	}
	if _, known := Of("model-of-no-name", own); known {
		t.Error("a price without a model fits a model")
	}
}

// Whoever does not tell cached tokens apart must not get them for nothing.
func TestCachedTokensCostAsMuchAsOthersUnlessSaid(t *testing.T) {
	cached := Tokens{CacheRead: 1e6, CacheWrite: 1e6}
	if got := (Price{Input: 2}).Cost(cached); got != 4 {
		t.Errorf("cached tokens without a price of their own cost %v, want 4", got)
	}
	if got := (Price{Input: 2, CacheRead: 0.5, CacheWrite: 3}).Cost(cached); got != 3.5 {
		t.Errorf("cached tokens cost %v, want 3.5", got)
	}
	if got := (Price{}).Cost(cached); got != 0 {
		t.Errorf("cached tokens of a free model cost %v", got)
	}
}

func TestPricesAreListedInOrder(t *testing.T) {
	list := List()
	if len(list) != len(builtIn) || !slices.IsSortedFunc(list, func(a, b Price) int { return strings.Compare(a.Model, b.Model) }) {
		t.Errorf("List() = %+v", list)
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
	if List()[0].Input == 99 {
		t.Error("the list can be changed from outside")
	}
}
