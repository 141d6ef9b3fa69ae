package term

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// A tool call is cut here even where there is more room: what matters of a
// command is at its front.
const widestTool = 100

// banner says what is about to happen.
func banner(p *loop.RunStarted, opt Options) string {
	parts := []string{text.Line(named(p.Agent, p.Model)), view.MaxIterations(p.Limits)}
	if p.Limits.Time > 0 {
		parts = append(parts, "at most "+text.Seconds(p.Limits.Time.Duration()))
	}
	if p.Limits.CostUSD > 0 {
		parts = append(parts, "at most "+view.Dollars(p.Limits.CostUSD, false))
	}
	if p.Limits.Tokens > 0 {
		parts = append(parts, "at most "+text.Plural(p.Limits.Tokens, "token"))
	}
	if p.Promise != "" {
		parts = append(parts, fmt.Sprintf("until %q", text.Line(p.Promise)))
	}
	text := opt.paint(bold, "refrain "+text.Line(p.Name)) + ": " + strings.Join(parts, " · ") + "\n"
	if p.Prompt != "" {
		text += opt.paint(dim, "prompt: "+view.Fit(p.Prompt, 60)) + "\n"
	}
	return text
}

// said is what the agent says, in whole lines.
func said(p *loop.AgentText, opt Options) string {
	text := strings.TrimRight(text.Clean(p.Text), "\n")
	if p.Cut {
		text += "\n" + opt.paint(dim, "(cut here; the raw transcript has the whole text)")
	}
	return text + "\n"
}

// toolLine is a tool call on one line.
func toolLine(p *loop.AgentTool, opt Options) string {
	line := view.Fit(p.Name+" "+p.Input, opt.widest()-1)
	return opt.paint(dim, strings.Replace(line, " ", "  ", 1)) + "\n"
}

// retryLine says that the agent is trying again, so that a silence has a cause.
func retryLine(p *loop.AgentRetry, opt Options) string {
	line := "retrying"
	if p.Try > 0 && p.Most > 0 {
		line = fmt.Sprintf("retrying (%d of %d)", p.Try, p.Most)
	}
	if p.Error != nil {
		line += ": " + string(p.Error.Kind) + " " + p.Error.Message
	}
	return opt.paint(dim, view.Fit(line, opt.widest())) + "\n"
}

// gateLine is the word of a gate on one line.
func gateLine(g loop.Gate, opt Options) string {
	line := fmt.Sprintf("gate %s %s", g.Name, view.Gate(g))
	if opt.Color {
		line = fmt.Sprintf("%s %s %s", mark(g), text.Line(g.Name), view.Found(g))
	}
	if g.Where == loop.InClean {
		line += ", " + view.Where(g.Where)
	}
	return opt.paint(gateStyle(g), view.Fit(line, opt.widest())) + "\n"
}

// testsLine is a test run of the agent's on one line.
func testsLine(t loop.Tests, opt Options) string {
	line := view.Tests(t)
	if t.Framework != "" {
		line += " (" + t.Framework + ")"
	}
	return opt.paint(dim, view.Fit(line, opt.widest())) + "\n"
}

// widest is how wide a line of this kind may be.
func (o Options) widest() int {
	if w := o.width(); w > 0 {
		return min(widestTool, w-1)
	}
	return widestTool
}
