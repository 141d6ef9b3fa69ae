package lineup

import (
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/price"
)

// Price is what a model costs, in US dollars for a million tokens, and who says
// so.
type Price struct {
	Model      string  `json:"model"`
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
	Window     int     `json:"window,omitempty"` // the context in tokens
	From       string  `json:"from"`             // "built in" or "yours"
}

// Prices lists the user's prices, and then ours that they do not replace.
func Prices(settings *config.Resolved) []Price {
	var list []Price
	add := func(from string, prices []price.Price) {
		for _, p := range prices {
			if _, replaced := settings.Config.Prices[p.Model]; from == "yours" || !replaced {
				list = append(list, Price{p.Model, p.Input, p.Output, p.CacheRead, p.CacheWrite, p.Window, from})
			}
		}
	}
	add("yours", prices(settings.Config))
	add("built in", price.List())
	return list
}

// prices is what the user says that models cost.
func prices(c config.Config) []price.Price {
	var list []price.Price
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		p := c.Prices[model]
		list = append(list, price.Price{
			Model: model, Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, Window: p.Window,
		})
	}
	return list
}
