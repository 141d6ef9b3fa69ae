package term

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// row is a line of a card. A text that is too long goes on below itself.
type row struct{ label, text string }

// Wide enough for the longest label and two spaces.
const labelWidth = 14

// Longer lines are harder to read, however wide the screen is.
const widestPage = 80

// page is how wide a card may be; 0 is as wide as it likes.
func (o Options) page() int { return min(o.width(), widestPage) }

// several is rows of one kind; the first of them says of which.
func several(label string, texts []string) []row {
	var list []row
	for _, text := range texts {
		list = append(list, row{label, text})
		label = ""
	}
	return list
}

// layout is rows below each other; those without content are left out.
func layout(list []row, opt Options) string {
	var b strings.Builder
	for _, r := range list {
		if r.text != "" {
			b.WriteString(r.layout(opt))
		}
	}
	return b.String()
}

func (r row) layout(opt Options) string {
	lines := r.fold(opt.page() - labelWidth)
	text := strings.Join(lines, "\n"+strings.Repeat(" ", labelWidth))
	return opt.paint(dim, fmt.Sprintf("  %-*s", labelWidth-2, r.label)) + text + "\n"
}

// fold breaks the text of a row into lines, at spaces only: paths and commands
// are there to be copied. Where there is hardly any room it stays one line.
func (r row) fold(room int) []string {
	text := text.Line(r.text)
	if room < narrowest || ansi.StringWidth(text) <= room {
		return []string{text}
	}
	return Fold(text, room)
}

// steps is what to type next, one command on a line. What it is for stands
// behind it as a comment, so that the whole line can be copied, if all of them
// have room for theirs.
func steps(list []view.Step, opt Options) string {
	command, line := 0, 0
	for _, step := range list {
		command = max(command, ansi.StringWidth(step.Command))
	}
	for _, step := range list {
		line = max(line, labelWidth+command+len("  # ")+ansi.StringWidth(step.For))
	}
	var b strings.Builder
	label := "next"
	for _, step := range list {
		b.WriteString(opt.paint(dim, fmt.Sprintf("  %-*s", labelWidth-2, label)) + text.Line(step.Command))
		if page := opt.page(); page == 0 || line <= page {
			b.WriteString(strings.Repeat(" ", command-ansi.StringWidth(step.Command)) + opt.paint(dim, "  # "+step.For))
		}
		b.WriteByte('\n')
		label = ""
	}
	return b.String()
}
