package config

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Price is one [prices.MODEL] table: what a model costs, in dollars for a
// million tokens, and how much it can read.
type Price struct {
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
	Window     int // in tokens; 0 is not known
}

const pricesDoc = "what models cost, each by its name or the beginning of it, where it differs from the built-in prices"

// priceRows is every setting of one model, below [prices.MODEL].
func priceRows(p *Price) []setting.Row {
	return []setting.Row{
		{
			Key: "input", Kind: setting.Number, At: &p.Input,
			Doc: "dollars for a million tokens that the model reads; 0 is free",
		},
		{
			Key: "output", Kind: setting.Number, At: &p.Output,
			Doc: "the same for tokens that it writes",
		},
		{
			Key: "cache_read", Kind: setting.Number, At: &p.CacheRead,
			Doc: "the same for tokens that it reads from its cache; as input unless set",
		},
		{
			Key: "cache_write", Kind: setting.Number, At: &p.CacheWrite,
			Doc: "the same for tokens that are written to its cache; as input unless set",
		},
		{
			Key: "window", Kind: setting.Int, At: &p.Window, Default: 0,
			Doc: "the model's context in tokens; 0 is not known",
		},
	}
}

// needed is the keys without which a model would seem to cost nothing.
var needed = []string{"input", "output"}

func priceKey(model, key string) string { return setting.JoinKey([]string{"prices", model, key}) }

// fillPrices puts the prices that hold into the Config.
func (r *Resolved) fillPrices() {
	r.Config.Prices = map[string]Price{}
	for model := range r.prices {
		var p Price
		for _, row := range priceRows(&p) {
			r.put(row, priceKey(model, row.Key))
		}
		for key, cache := range map[string]*float64{"cache_read": &p.CacheRead, "cache_write": &p.CacheWrite} {
			if _, set := r.top(priceKey(model, key)); !set {
				*cache = p.Input // rather too much than nothing
			}
		}
		r.Config.Prices[model] = p
	}
}

func (r *Resolved) checkPrices() []Problem {
	var problems []Problem
	for _, model := range slices.Sorted(maps.Keys(r.prices)) {
		for _, key := range needed {
			if _, set := r.top(priceKey(model, key)); !set {
				table := setting.JoinKey([]string{"prices", model})
				problems = append(problems, r.prices[model].problem(priceKey(model, key), table+" has no "+key, "add "+key+" = DOLLARS, for a million tokens; 0 is free"))
			}
		}
	}
	return problems
}

// modelName complains about a name that no model has.
func modelName(name string) (what, hint string) {
	if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
		return setting.Quote(name) + " is not a name for a model", "write it as the agent does"
	}
	return "", ""
}

// unquotedModel is the name of a model that was split at its dots for want of
// quotes, and what follows it; else empty.
func unquotedModel(path []string) (model, key string) {
	last := len(path) - 1
	if path[0] != "prices" || last < 2 {
		return "", ""
	}
	parts := path[1:]
	if _, is := findIn(priceSettings, path[last]); is == aSetting {
		parts, key = path[1:last], "."+path[last]
	} else if last == 2 && setting.Nearest(path[last], priceKeys()) != "" {
		return "", "" // misspelt
	}
	return strings.Join(parts, "."), key
}

func priceKeys() []string {
	var keys []string
	for _, r := range priceSettings {
		keys = append(keys, r.Key)
	}
	return keys
}

// priceObject is the schema of one model's prices.
func priceObject() map[string]any {
	price := object(priceSettings)
	price["required"] = needed
	return price
}
