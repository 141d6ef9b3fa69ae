package rehearsal

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

func text(f *values) act {
	text := f.text("text")
	return func(p *player) error { return p.say(p.fill(text)) }
}

func claim(f *values) act {
	promise := f.some("claim")
	return func(p *player) error { return p.say("<promise>" + p.fill(promise) + "</promise>") }
}

func echoPrompt(f *values) act {
	f.yes("echo_prompt")
	return func(p *player) error { return p.say(p.prompt) }
}

func toolResult(f *values) act {
	output := f.text("tool_result")
	return func(p *player) error {
		id, err := p.call("Read", "")
		if err != nil {
			return err
		}
		return p.emit(&loop.AgentToolResult{ID: id, Name: "Read", Output: p.fill(output)})
	}
}

// usage reports what the attempt has used so far: the last report stands.
func usage(f *values) act {
	u := &values{fields: field[map[string]any](f, "usage", "a table such as { input = 1200, output = 300 }")}
	u.only("usage", []string{"input", "output", "cache_read", "cache_write", "cost_usd", "context_percent", "turns"})
	const manyTokens = 1_000_000_000
	used := loop.Usage{
		Input:          u.whole("input", 0, manyTokens, 0),
		Output:         u.whole("output", 0, manyTokens, 0),
		CacheRead:      u.whole("cache_read", 0, manyTokens, 0),
		CacheWrite:     u.whole("cache_write", 0, manyTokens, 0),
		CostUSD:        u.money("cost_usd"),
		ContextPercent: u.whole("context_percent", 0, 100, 0),
		Turns:          u.whole("turns", 0, maxCount, 0),
	}
	if u.err != nil {
		f.fail("%w", u.err)
	}
	return func(p *player) error { return p.emit(&loop.AgentUsage{Usage: used}) }
}

// session tells the agent's conversation: the one that it goes on with, or else
// a new one of that name.
func session(f *values) act {
	id := f.some("session")
	return func(p *player) error {
		if p.session == "" {
			p.session = p.fill(id)
		}
		return p.emit(&loop.AgentSession{Session: p.session})
	}
}

// note is a remark of the script's author. The agent does not say it.
func note(f *values) act {
	text := f.some("note")
	return func(p *player) error {
		if p.stage != nil {
			return p.stage.note(p.fill(text))
		}
		return p.complain(p.fill(text))
	}
}

// raw prints a line as it is, which need not be one that anybody understands.
func raw(f *values) act {
	line := f.text("raw")
	return func(p *player) error { return p.print([]byte(p.fill(line) + "\n")) }
}

func stderrText(f *values) act {
	text := f.text("stderr_text")
	return func(p *player) error { return p.complain(p.fill(text)) }
}

// complain prints a line on stderr.
func (p *player) complain(line string) error {
	if _, err := fmt.Fprintln(p.err, line); err != nil {
		return fmt.Errorf("print to stderr: %w", err)
	}
	return nil
}
