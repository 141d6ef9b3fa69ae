package agent

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// model is what is known of a family of models: US dollars for a million
// tokens, and the size of the context.
type model struct {
	input, output, cacheRead, cacheWrite float64
	window                               int // in tokens; 0 is unknown
}

// models holds list prices as known in November 2026, by the start of a
// model's name; the longest start that fits counts. They serve where an agent
// tells its tokens but not its cost, or not yet, and the sum is marked as an
// estimate. A price that has changed is changed here. A model that is not here
// has no cost rather than a wrong one. Discounts, subscriptions and surcharges
// are left out.
var models = map[string]model{
	"claude-opus-4":         {15, 75, 1.5, 18.75, 200_000},
	"claude-opus-4-5":       {5, 25, 0.5, 6.25, 200_000},
	"claude-opus-4-6":       {5, 25, 0.5, 6.25, 200_000},
	"claude-opus-4-8":       {5, 25, 0.5, 6.25, 200_000},
	"claude-sonnet-4":       {3, 15, 0.3, 3.75, 200_000},
	"claude-haiku-4-5":      {1, 5, 0.1, 1.25, 200_000},
	"gpt-5":                 {1.25, 10, 0.125, 1.25, 272_000},
	"gpt-5-mini":            {0.25, 2, 0.025, 0.25, 272_000},
	"gpt-5-nano":            {0.05, 0.4, 0.005, 0.05, 272_000},
	"gpt-5-pro":             {15, 120, 15, 15, 272_000},
	"gpt-5.1":               {1.25, 10, 0.125, 1.25, 272_000},
	"gpt-5.1-codex-mini":    {0.25, 2, 0.025, 0.25, 272_000},
	"gpt-5.2":               {1.75, 14, 0.175, 1.75, 272_000},
	"gpt-5.2-pro":           {21, 168, 21, 21, 272_000},
	"gpt-4.1":               {2, 8, 0.5, 2, 1_047_576},
	"gpt-4.1-mini":          {0.4, 1.6, 0.1, 0.4, 1_047_576},
	"o3":                    {2, 8, 0.5, 2, 200_000},
	"o3-mini":               {1.1, 4.4, 0.55, 1.1, 200_000},
	"o3-pro":                {20, 80, 20, 20, 200_000},
	"o4-mini":               {1.1, 4.4, 0.275, 1.1, 200_000},
	"gemini-2.5-pro":        {1.25, 10, 0.125, 1.25, 1_048_576},
	"gemini-2.5-flash":      {0.3, 2.5, 0.03, 0.3, 1_048_576},
	"gemini-2.5-flash-lite": {0.1, 0.4, 0.01, 0.1, 1_048_576},
}

// lookup finds a model by a name such as "claude-opus-4-8[1m]" or
// "openai/gpt-5-codex". A name that goes on with a new version ("gpt-5.9" after
// "gpt-5") is another model.
func lookup(name string) (model, bool) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	var best string
	for start := range models {
		rest, ok := strings.CutPrefix(name, start)
		if ok && len(start) > len(best) && (rest == "" || strings.IndexByte("-[@:", rest[0]) >= 0) {
			best = start
		}
	}
	m, ok := models[best]
	return m, ok
}

// estimate is the cost of tokens in US dollars, 0 when the price is not known.
func estimate(name string, u loop.Usage) float64 {
	m, ok := lookup(name)
	if !ok {
		return 0
	}
	return (float64(u.Input)*m.input + float64(u.Output)*m.output +
		float64(u.CacheRead)*m.cacheRead + float64(u.CacheWrite)*m.cacheWrite) / 1e6
}

// windowOf is the size of a model's context in tokens, 0 when not known.
func windowOf(name string) int {
	if strings.HasSuffix(name, "[1m]") { // claude's mark for the long context
		return 1_000_000
	}
	m, _ := lookup(name)
	return m.window
}
