package agent

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestPricesGoByTheLongestName(t *testing.T) {
	million := loop.Usage{Input: 1e6}
	for name, want := range map[string]float64{
		"gpt-5-codex":              1.25,
		"openai/gpt-5-codex":       1.25,
		"GPT-5":                    1.25,
		"gpt-5-mini-2025-08-07":    0.25,
		"claude-opus-4-8[1m]":      5,
		"claude-opus-4-1-20250805": 15,
		"gpt-5.9":                  0, // another model, not a kind of gpt-5
		"gpt-50":                   0,
		"fake-model":               0,
		"":                         0,
	} {
		if got := estimate(name, million); got != want {
			t.Errorf("a million tokens of %q cost %v, want %v", name, got, want)
		}
	}
}

func TestEstimatesAddUpEveryKindOfToken(t *testing.T) {
	got := estimate("claude-opus-4-8", loop.Usage{Input: 1350, Output: 110, CacheRead: 1900, CacheWrite: 1050})
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
