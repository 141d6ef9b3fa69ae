// Package price knows what models cost and how much fits into their context.
package price

import (
	"slices"
	"strings"
)

// Price is what a family of models costs, in US dollars for a million tokens,
// and the size of its context. A model of one's own may cost nothing.
type Price struct {
	Model                 string // the start of its models' names
	Input, Output         float64
	CacheRead, CacheWrite float64 // 0: as Input
	Window                int     // in tokens; 0 is unknown
}

// builtIn holds list prices as known in November 2026. They serve where an
// agent tells its tokens but not its cost, or not yet, and the sum is marked as
// an estimate. A price that has changed is changed here, or in the user's own
// prices. A model that is not here has no cost rather than a wrong one.
// Discounts, subscriptions and surcharges are left out.
var builtIn = []Price{
	{"claude-opus-4", 15, 75, 1.5, 18.75, 200_000},
	{"claude-opus-4-5", 5, 25, 0.5, 6.25, 200_000},
	{"claude-opus-4-6", 5, 25, 0.5, 6.25, 200_000},
	{"claude-opus-4-7", 5, 25, 0.5, 6.25, 200_000},
	{"claude-opus-4-8", 5, 25, 0.5, 6.25, 200_000},
	{"claude-sonnet-4", 3, 15, 0.3, 3.75, 200_000},
	{"claude-haiku-4-5", 1, 5, 0.1, 1.25, 200_000},
	{"gpt-5", 1.25, 10, 0.125, 1.25, 272_000},
	{"gpt-5-mini", 0.25, 2, 0.025, 0.25, 272_000},
	{"gpt-5-nano", 0.05, 0.4, 0.005, 0.05, 272_000},
	{"gpt-5-pro", 15, 120, 15, 15, 272_000},
	{"gpt-5.1", 1.25, 10, 0.125, 1.25, 272_000},
	{"gpt-5.1-codex-mini", 0.25, 2, 0.025, 0.25, 272_000},
	{"gpt-5.2", 1.75, 14, 0.175, 1.75, 272_000},
	{"gpt-5.2-pro", 21, 168, 21, 21, 272_000},
	{"gpt-4.1", 2, 8, 0.5, 2, 1_047_576},
	{"gpt-4.1-mini", 0.4, 1.6, 0.1, 0.4, 1_047_576},
	{"o3", 2, 8, 0.5, 2, 200_000},
	{"o3-mini", 1.1, 4.4, 0.55, 1.1, 200_000},
	{"o3-pro", 20, 80, 20, 20, 200_000},
	{"o4-mini", 1.1, 4.4, 0.275, 1.1, 200_000},
	{"gemini-2.5-pro", 1.25, 10, 0.125, 1.25, 1_048_576},
	{"gemini-2.5-flash", 0.3, 2.5, 0.03, 0.3, 1_048_576},
	{"gemini-2.5-flash-lite", 0.1, 0.4, 0.01, 0.1, 1_048_576},
}

// List gives the built-in prices, sorted by model.
func List() []Price {
	list := slices.Clone(builtIn)
	slices.SortFunc(list, func(a, b Price) int { return strings.Compare(a.Model, b.Model) })
	return list
}

// Of finds the price of a model. What the user has set wins, even over a
// longer name of ours: it is never passed over in silence.
func Of(model string, own []Price) (Price, bool) {
	if p, ok := longest(own, model); ok {
		return p, true
	}
	return longest(builtIn, model)
}

// longest finds the entry with the longest start of a name such as
// "claude-opus-4-8[1m]" or "openai/gpt-5-codex", where the provider may be
// left out. A name that goes on with a new version ("gpt-5.9" after "gpt-5") is
// another model.
func longest(list []Price, model string) (best Price, found bool) {
	model = strings.ToLower(model)
	bare := model[strings.LastIndexByte(model, '/')+1:]
	for _, p := range list {
		start := strings.ToLower(p.Model)
		if len(start) > len(best.Model) && (starts(model, start) || starts(bare, start)) {
			best, found = p, true
		}
	}
	return best, found
}

func starts(name, start string) bool {
	rest, ok := strings.CutPrefix(name, start)
	return ok && (rest == "" || strings.IndexByte("-[@:", rest[0]) >= 0)
}

// Tokens are what is paid for. Cached ones are not a part of the input.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int }

// Cost is what tokens cost in US dollars.
func (p Price) Cost(u Tokens) float64 {
	read, write := p.CacheRead, p.CacheWrite
	if read == 0 {
		read = p.Input
	}
	if write == 0 {
		write = p.Input
	}
	return (float64(u.Input)*p.Input + float64(u.Output)*p.Output +
		float64(u.CacheRead)*read + float64(u.CacheWrite)*write) / 1e6
}

// OwnWindow is the size of a model's context as the user has set it, 0 when not.
func OwnWindow(model string, own []Price) int {
	p, _ := longest(own, model)
	return p.Window
}

// Window is the size of a model's context in tokens, 0 when not known.
func Window(model string) int {
	if strings.HasSuffix(model, "[1m]") { // claude's mark for the long context
		return 1_000_000
	}
	p, _ := longest(builtIn, model)
	return p.Window
}
