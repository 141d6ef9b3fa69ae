package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/markdown"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// block is a piece of a scrollback that stays together: a text, a tool call that can be
// folded, or something that draws itself.
type block struct {
	text   string // clean
	style  style
	indent string // of lines that go on
	call   *call
	draw   func(width int) string
	rich   bool // the text is markdown

	width int // that the lines are laid out for; 0: they are not
	lines []line
}

// call is a use of one of the agent's tools.
type call struct {
	id, name, input string

	done   bool
	failed bool
	how    string // it ended, if not well
	output string // clean
	open   bool   // the output is shown
}

// maxOutput is how many lines of one output are kept: its last, where the
// outcome of a command is.
const maxOutput = 400

// finish takes in what the tool gave back.
func (c *call) finish(p *loop.AgentToolResult) {
	c.done, c.failed = true, p.Failed || p.Denied
	switch {
	case p.Denied:
		c.how = "denied"
	case p.Exit != nil && *p.Exit != 0:
		c.how, c.failed = fmt.Sprintf("exit %d", *p.Exit), true
	case p.Failed:
		c.how = "failed"
	}
	c.output = strings.Trim(text.Clean(p.Output), "\n")
	if lines := strings.Split(c.output, "\n"); len(lines) > maxOutput {
		c.output = fmt.Sprintf("(%s before)\n", text.Plural(len(lines)-maxOutput, "line")) + strings.Join(lines[len(lines)-maxOutput:], "\n")
	}
}

// lay gives the lines of the block for a width.
func (b *block) lay(width int) []line {
	if b.width == width {
		return b.lines
	}
	b.width = width
	switch {
	case b.call != nil:
		b.lines = b.call.lay(width)
	case b.draw != nil:
		b.lines = nil
		for text := range strings.SplitSeq(strings.TrimRight(b.draw(width), "\n"), "\n") {
			b.lines = append(b.lines, line{text: view.FitPath(text, width), style: raw}) // only paths are too long
		}
	case b.rich:
		b.lines = richLines(b.text, width)
	default:
		b.lines = wrap(b.text, width, b.style, b.indent)
	}
	return b.lines
}

// weight is what a block counts for: its lines, on a screen of eighty columns.
func (b *block) weight() int {
	size, lines := len(b.text), 1+strings.Count(b.text, "\n")
	if b.call != nil {
		size += len(b.call.input) + len(b.call.output)
		lines += strings.Count(b.call.output, "\n")
	}
	return lines + size/80
}

// lay shows the call on one line, and its output below when it is unfolded.
func (c *call) lay(width int) []line {
	sign, s := "▸", faint
	if c.open {
		sign = "▾"
	}
	if c.failed {
		s = bad
	}
	result := c.result()
	head := sign + " " + c.name
	if room := width - ansi.StringWidth(head) - ansi.StringWidth(result) - 4; c.input != "" && room > 0 {
		if strings.Contains(c.input, "/") && !strings.Contains(c.input, " ") {
			head += "  " + view.FitPath(c.input, room)
		} else {
			head += "  " + view.Fit(c.input, room)
		}
	}
	if result != "" {
		head += "  " + result
	}
	lines := []line{{text: ansi.Truncate(head, width, "…"), style: s}}
	if !c.open {
		return lines
	}
	if c.output == "" {
		return append(lines, line{text: "  " + c.nothing(), style: faint})
	}
	for _, l := range wrap(c.output, max(width-2, 1), faint, "") {
		lines = append(lines, line{text: "  " + l.text, style: l.style})
	}
	return lines
}

// result is how the call went, in a word or two.
func (c *call) result() string {
	switch {
	case !c.done:
		return "…"
	case c.how != "":
		return c.how
	case c.output == "":
		return ""
	}
	return text.Plural(1+strings.Count(c.output, "\n"), "line")
}

func (c *call) nothing() string {
	if !c.done {
		return "(no result yet)"
	}
	return "(no output)"
}

// line is one line of a pane: a clean text, and what it is.
type line struct {
	text  string
	style style
	spans []span // the same text in pieces, where some of it is set off
}

// span is a piece of a line that looks the same.
type span struct {
	text  string
	style style
}

// wrap breaks a clean text into lines of a width. Those that go on are indented.
func wrap(text string, width int, s style, indent string) []line {
	var lines []line
	for source := range strings.SplitSeq(text, "\n") {
		for _, part := range markdown.Wrap(source, width, indent) {
			lines = append(lines, line{text: part, style: s})
		}
	}
	return lines
}

// looks is how the pieces of markdown look here.
var looks = map[markdown.Look]style{markdown.Plain: plain, markdown.Strong: strong, markdown.Quoted: faint, markdown.Code: codeLine}

// richLines is a text in markdown as lines of a width.
func richLines(said string, width int) []line {
	var lines []line
	for _, l := range markdown.Lay(said, width) {
		laid := line{text: l.Text, style: looks[l.Look]}
		for _, s := range l.Spans {
			laid.spans = append(laid.spans, span{s.Text, looks[s.Look]})
		}
		lines = append(lines, laid)
	}
	return lines
}
