package telemetry

import (
	"slices"
	"strconv"
)

// histogram counts values by size.
type histogram struct {
	name, help string
	bounds     []float64
	counts     []float64 // of each bound alone; the last is what is above all
	sum        float64
}

func newHistogram(name, help string, bounds ...float64) *histogram {
	return &histogram{name: name, help: help, bounds: bounds, counts: make([]float64, len(bounds)+1)}
}

func (h *histogram) add(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v) // a value on a bound is within it
	h.counts[i]++
	h.sum += v
}

// family tells each bound with all that is below it, as Prometheus wants it.
func (h *histogram) family() family {
	f := family{Name: h.name, Help: h.help, Type: "histogram"}
	below := 0.0
	for i, n := range h.counts {
		below += n
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = strconv.FormatFloat(h.bounds[i], 'g', -1, 64)
		}
		f.Samples = append(f.Samples, sample{Name: h.name + "_bucket", Labels: labels{{"le", bound}}, Value: below})
	}
	return f.with(h.name+"_sum", h.sum).with(h.name+"_count", below)
}
