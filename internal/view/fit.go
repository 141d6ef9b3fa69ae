package view

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
)

// Fit gives s as one clean line of at most width cells, cut with an ellipsis.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(text.Line(s), width, text.Ellipsis)
}
