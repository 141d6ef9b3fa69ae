package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// style is what a text is, which decides how it is set off.
type style int

const (
	plain style = iota
	faint
	strong
	heading
	good
	bad
	caution
	live
	marked // what keys act on
	found  // by a search
	raw    // has its own

	codeLine // code in what an agent says
	edge     // of a pane
	accent   // the edge of the pane that keys act on, and keys themselves

	// The state of a run, which is to be seen from across the room.
	stateGood
	stateBad
	stateCaution
	stateLive
)

// palette gives each style its looks. Colours are those of the terminal's own
// sixteen, which its owner has chosen to be readable.
type palette map[style]lipgloss.Style

func newPalette(color bool) palette {
	s := lipgloss.NewStyle()
	p := palette{
		faint: s.Faint(true), strong: s.Bold(true), heading: s.Bold(true),
		good: s, bad: s.Bold(true), caution: s.Bold(true), live: s.Bold(true),
		marked: s.Reverse(true), found: s.Reverse(true),
		codeLine: s, edge: s.Faint(true), accent: s.Bold(true),
		stateGood: s.Bold(true).Reverse(true), stateBad: s.Bold(true).Reverse(true),
		stateCaution: s.Bold(true).Reverse(true), stateLive: s.Bold(true).Reverse(true),
	}
	if color {
		p[heading] = s.Bold(true).Foreground(lipgloss.Cyan)
		p[good] = s.Foreground(lipgloss.Green)
		p[bad] = s.Foreground(lipgloss.Red)
		p[caution] = s.Foreground(lipgloss.Yellow)
		p[live] = s.Bold(true).Foreground(lipgloss.Blue)
		p[codeLine] = s.Foreground(lipgloss.Cyan)
		p[accent] = s.Foreground(lipgloss.Cyan)
		// Both colours are named: what lies behind the text may be black or white.
		p[marked] = s.Foreground(lipgloss.Black).Background(lipgloss.Cyan)
		p[stateGood] = s.Foreground(lipgloss.Black).Background(lipgloss.Green)
		p[stateBad] = s.Foreground(lipgloss.BrightWhite).Background(lipgloss.Red)
		p[stateCaution] = s.Foreground(lipgloss.Black).Background(lipgloss.Yellow)
		p[stateLive] = s.Foreground(lipgloss.BrightWhite).Background(lipgloss.Blue)
		p[found] = s.Reverse(true).Foreground(lipgloss.Yellow)
	}
	return p
}

// paint sets a text off.
func (p palette) paint(s style, text string) string {
	looks, ok := p[s]
	if !ok || text == "" {
		return text
	}
	return looks.Render(text)
}

// part is one fact of a line that has room for some only. The one with the
// highest rank is left out first; those of rank 0 stay.
type part struct {
	text  string
	style style
	rank  int
}

// facts joins the parts that a width has room for.
func (p palette) facts(parts []part, gap string, width int) string {
	kept := make([]part, 0, len(parts))
	for _, x := range parts {
		if x.text != "" {
			kept = append(kept, x)
		}
	}
	for {
		wide, last := -ansi.StringWidth(gap), -1
		for i, x := range kept {
			wide += ansi.StringWidth(gap) + ansi.StringWidth(x.text)
			if x.rank > 0 && (last < 0 || x.rank >= kept[last].rank) {
				last = i
			}
		}
		if wide <= width || last < 0 {
			break
		}
		kept = append(kept[:last], kept[last+1:]...)
	}
	painted := make([]string, 0, len(kept))
	for _, x := range kept {
		painted = append(painted, p.paint(x.style, x.text))
	}
	return ansi.Truncate(strings.Join(painted, gap), max(width, 0), "…")
}

// hint is what a key does.
type hint struct {
	key, does string
	rank      int // the highest is left out first
}

// hints joins the keys that a width has room for: each is whole, or not there.
func (p palette) hints(list []hint, width int) string {
	var parts []part
	for _, h := range list {
		if h.does != "" {
			parts = append(parts, part{p.paint(accent, h.key) + " " + p.paint(faint, h.does), plain, h.rank + 1})
		}
	}
	return p.facts(parts, "  ", width)
}
