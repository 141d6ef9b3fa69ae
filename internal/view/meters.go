package view

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// barWidth is how many cells the bar of the iterations has.
const barWidth = 8

// Bar draws which iteration of how many it is; nothing where there is no limit.
func Bar(n, most int) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	full := min((n*barWidth+most-1)/most, barWidth)
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// gaugeWidth is how many cells the gauge of the context has.
const gaugeWidth = 12

// Gauge draws how full the context is, and where its redline lies; nothing when
// it is not known.
func Gauge(full, redline int) string {
	if full <= 0 {
		return ""
	}
	cells := []rune(strings.Repeat("█", cell(full)) + strings.Repeat("░", gaugeWidth-cell(full)))
	said := fmt.Sprintf(" %d%%", full)
	if redline > 0 {
		cells[min(cell(redline), gaugeWidth-1)] = '│'
		said += fmt.Sprintf(" (redline %d%%)", redline)
	}
	return "context " + string(cells) + said
}

func cell(percent int) int { return min(max(percent*gaugeWidth/100, 0), gaugeWidth) }

// Spark draws how many tests passed in the last iterations, against the most
// that ever ran.
func Spark(list []loop.Tests, most int) string {
	const levels = "▁▂▃▄▅▆▇█"
	list = list[max(len(list)-most, 0):]
	if len(list) < 2 {
		return ""
	}
	all := 1
	for _, t := range list {
		all = max(all, t.Passed+t.Failed)
	}
	var b strings.Builder
	for _, t := range list {
		b.WriteRune([]rune(levels)[t.Passed*7/all])
	}
	return b.String() + " "
}
