package cli

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	lines "github.com/refrain-loop/refrain/internal/term"
)

// folding is a stream of messages. A line that is too wide for the terminal is
// broken at a space, and what is left of it goes on below, a little to the right.
type folding struct {
	to    io.Writer
	width func() int // 0: it is no terminal, or nobody knows
}

// foldIndent is how far the rest of a line is set off.
const foldIndent = 2

// fold is a stream for messages, as wide as the terminal behind it.
func fold(to io.Writer) io.Writer {
	if !isTerminal(to) {
		return to
	}
	return folding{to, console{out: to}.look().Width}
}

func (f folding) Write(p []byte) (int, error) {
	width := f.width()
	if width <= foldIndent {
		return f.to.Write(p)
	}
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		words, end := strings.CutSuffix(line, "\n")
		switch {
		case ansi.StringWidth(words) <= width:
			b.WriteString(words)
		default:
			// The first line has the room of the others: who looks sees one block.
			indent := strings.Repeat(" ", foldIndent)
			before := words[:len(words)-len(strings.TrimLeft(words, " "))]
			rest := lines.Fold(words, width-foldIndent-len(before))
			b.WriteString(before + strings.Join(rest, "\n"+before+indent))
		}
		if end {
			b.WriteByte('\n')
		}
	}
	if _, err := io.WriteString(f.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Behind is the stream that the lines are written to.
func (f folding) Behind() io.Writer { return f.to }

// Fd is that of the file behind it, for who asks whether it is a terminal.
func (f folding) Fd() uintptr {
	if file, ok := f.to.(interface{ Fd() uintptr }); ok {
		return file.Fd()
	}
	return ^uintptr(0)
}

// bare is the stream behind all that we put before one: a program that is started
// there makes its own lines, and wants to see a terminal where there is one.
func bare(w io.Writer) io.Writer {
	for {
		front, ok := w.(interface{ Behind() io.Writer })
		if !ok {
			return w
		}
		w = front.Behind()
	}
}
