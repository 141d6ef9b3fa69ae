package view

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// plainer is what stands for our signs on a terminal that only knows ASCII.
var plainer = map[rune]rune{
	'…': '.', '≈': '~', '±': '~', '·': '-', '–': '-', '×': 'x', '−': '-',
	'▸': '>', '▾': 'v', '│': '|', '─': '-', '█': '#', '░': '-', '✓': '+', '✗': 'x',
	'↑': '^', '↓': 'v', '←': '<', '→': '>',
	'•': '*', '☐': 'o', '☑': 'x', '○': 'o', '╭': '+', '╮': '+', '╰': '+', '╯': '+', '├': '+', '┤': '+',
	'▁': '_', '▂': '.', '▃': ':', '▄': '-', '▅': '=', '▆': '+', '▇': '*',
}

// ASCII is a screen without a character that an old terminal would garble. Each
// keeps its width.
func ASCII(screen string) string {
	var b strings.Builder
	b.Grow(len(screen))
	for _, r := range screen {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		if p, ok := plainer[r]; ok {
			b.WriteRune(p)
			continue
		}
		b.WriteString(strings.Repeat("?", ansi.StringWidth(string(r))))
	}
	return b.String()
}
