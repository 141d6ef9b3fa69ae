package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// line is one line of a pane: a clean text, and what it is.
type line struct {
	text  string
	style style
}

// wrap breaks a clean text into lines of a width. Those that go on are indented.
func wrap(text string, width int, s style, indent string) []line {
	if len(indent) > width/2 {
		indent = ""
	}
	var lines []line
	for source := range strings.SplitSeq(text, "\n") {
		if ansi.StringWidth(source) <= width {
			lines = append(lines, line{source, s})
			continue
		}
		for i, part := range strings.Split(ansi.Wrap(source, max(width-len(indent), 1), ""), "\n") {
			if i > 0 {
				part = indent + part
			}
			lines = append(lines, line{part, s})
		}
	}
	return lines
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

// ends sets one text at each end of a line. Where there is no room for both, the
// right one is left out.
func ends(left, right string, width int) string {
	room := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if right == "" || room < 2 {
		return left
	}
	return left + strings.Repeat(" ", room) + right
}

// cut makes sure that a painted line is no wider than the screen.
func cut(text string, width int) string {
	if ansi.StringWidth(text) <= width {
		return text
	}
	return ansi.Truncate(text, width, "")
}
