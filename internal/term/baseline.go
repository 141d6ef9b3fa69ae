package term

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// baselineTable shows what the gates said before the first iteration side by side,
// or nothing when the screen is too narrow for that.
func baselineTable(b *loop.RunBaseline, opt Options) string {
	table := [][]cell{{{dim, "baseline"}, {dim, "work tree"}}}
	if cleanTried(b) {
		table[0] = append(table[0], cell{dim, "clean checkout"})
	}
	for _, g := range b.Gates {
		line := []cell{{"", text.Line(g.Gate.Name)}, gateCell(g.Gate, opt)}
		if g.Clean != nil {
			line = append(line, gateCell(*g.Clean, opt))
		}
		table = append(table, line)
	}
	widths := make([]int, len(table[0]))
	for _, line := range table {
		for i, c := range line {
			widths[i] = max(widths[i], ansi.StringWidth(c.text))
		}
	}
	total := 0
	for _, w := range widths {
		total += w + gap
	}
	if room := opt.width(); len(b.Gates) == 0 || room > 0 && total > room {
		return ""
	}
	var text strings.Builder
	for _, line := range table {
		for i, c := range line {
			if i > 0 {
				text.WriteString(strings.Repeat(" ", gap))
			}
			text.WriteString(opt.paint(c.style, c.text))
			if i < len(line)-1 {
				text.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(c.text)))
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// gap is the space between two columns.
const gap = 2

// cell is a field of a table.
type cell struct {
	style style
	text  string
}

func cleanTried(b *loop.RunBaseline) bool {
	for _, g := range b.Gates {
		if g.Clean != nil {
			return true
		}
	}
	return false
}

func gateCell(g loop.Gate, opt Options) cell {
	if !opt.Color {
		return cell{"", view.Gate(g)}
	}
	return cell{gateStyle(g), strings.TrimSpace(fmt.Sprintf("%s %s", mark(g), view.Found(g)))}
}

// mark is a gate's word in one sign, for screens that do more than plain text.
func mark(g loop.Gate) string {
	if g.OK {
		return "✓"
	}
	return "✗"
}

func gateStyle(g loop.Gate) style {
	if g.OK {
		return dim
	}
	return red
}
