package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

const (
	usualTranscript = 4000
	maxTranscript   = 50_000
	maxToolText     = 400
)

// transcript is the end of what an agent said and did, at most so many
// characters of it, and whether there is more before.
func transcript(dir string, most int) (text string, cut bool, err error) {
	var parts []string // the last ones
	size := 0
	for e, err := range journal.AttemptEvents(dir) {
		if err != nil {
			return "", false, err
		}
		part := line(e.Payload)
		if part == "" {
			continue
		}
		parts = append(parts, part)
		size += utf8.RuneCountInString(part)
		for size-utf8.RuneCountInString(parts[0]) >= most {
			size -= utf8.RuneCountInString(parts[0])
			parts, cut = parts[1:], true
		}
	}
	all := []rune(strings.Join(parts, ""))
	if len(all) > most {
		all, cut = all[len(all)-most:], true
	}
	return string(all), cut, nil
}

// line is an event of an agent's for who reads along; empty: nothing to read.
func line(p loop.Payload) string {
	switch p := p.(type) {
	case *loop.AgentText:
		text := strings.TrimRight(text.Clean(p.Text), "\n") + "\n"
		if p.Cut {
			text += "(cut here: the file stdout has the whole text)\n"
		}
		return text
	case *loop.AgentTool:
		return "[" + text.Line(p.Name) + "] " + view.Fit(p.Input, maxToolText) + "\n"
	case *loop.AgentToolResult:
		return result(p)
	case *loop.AgentRetry:
		return "(the agent tries a request again)\n"
	}
	return ""
}

// result is what a tool gave back: its end, where what went wrong mostly is.
func result(p *loop.AgentToolResult) string {
	said := "  "
	switch {
	case p.Denied:
		said += "denied: "
	case p.Failed, p.Exit != nil && *p.Exit != 0:
		said += "failed: "
	}
	if p.Exit != nil && *p.Exit != 0 {
		said += fmt.Sprintf("exit %d: ", *p.Exit)
	}
	output := []rune(text.Line(p.Output))
	if more := len(output) - maxToolText; more > 0 {
		return said + "…" + string(output[more:]) + "\n"
	}
	return said + string(output) + "\n"
}
