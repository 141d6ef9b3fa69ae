package agent

import (
	"slices"
	"testing"
)

func TestKeysApart(t *testing.T) {
	env := []string{"PATH=/bin", "ANTHROPIC_API_KEY=a", "SHOP_TOKEN=b", "GEMINI_API_KEY=c", "EMPTY"}
	tests := []struct {
		name       string
		pass       []string
		bare, keys []string
	}{
		{"keys of all agents are apart", nil, []string{"PATH=/bin", "SHOP_TOKEN=b", "EMPTY"}, []string{"ANTHROPIC_API_KEY=a", "GEMINI_API_KEY=c"}},
		{"a name passes", []string{"GEMINI_API_KEY"}, []string{"PATH=/bin", "SHOP_TOKEN=b", "GEMINI_API_KEY=c", "EMPTY"}, []string{"ANTHROPIC_API_KEY=a"}},
		{"a pattern passes", []string{"ANTHROPIC_*", "["}, []string{"PATH=/bin", "ANTHROPIC_API_KEY=a", "SHOP_TOKEN=b", "EMPTY"}, []string{"GEMINI_API_KEY=c"}},
		{"everything passes", []string{"*"}, env, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bare, keys := Apart(env, tt.pass)
			if !slices.Equal(bare, tt.bare) || !slices.Equal(keys, tt.keys) {
				t.Errorf("Apart = %q, %q, want %q, %q", bare, keys, tt.bare, tt.keys)
			}
		})
	}
}
