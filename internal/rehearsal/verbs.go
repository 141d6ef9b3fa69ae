package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// verb is one thing that a step can do.
type verb struct {
	make func(*values) act
	with []string // the fields that may stand beside it
}

// verbs is the whole language. docs/rehearsal.md describes it.
var verbs = map[string]verb{
	// what it says
	"text":        {make: text},
	"claim":       {make: claim},
	"echo_prompt": {make: echoPrompt},
	"tool_result": {make: toolResult},
	"usage":       {make: usage},
	"raw":         {make: raw},
	"stderr_text": {make: stderrText},
	"session":     {make: session},
	"note":        {make: note},

	// what it does
	"write":  {make: write, with: []string{"content", "append", "mode"}},
	"delete": {make: remove},
	"run":    {make: run, with: []string{"check"}},
	"commit": {make: commit},
	"sleep":  {make: sleep},

	// how it ends
	"limit": {make: limit, with: []string{"resets_in"}},
	"error": {make: fault, with: []string{"message"}},
	"exit":  {make: exit},
	"crash": {make: crash},

	// what makes a runner's life hard
	"hang":            {make: hang},
	"flood_mb":        {make: flood, with: []string{"stderr"}},
	"endless_line_mb": {make: endlessLine},
	"daemon":          {make: daemon},
	"ignore_term":     {make: ignoreTerm},

	// what only happens on a stage
	"crash_runner": {make: crashRunner},
	"full_disk":    {make: fullDisk},
}

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

func write(f *values) act {
	path, content := f.path("write"), f.text("content")
	add, mode := f.flag("append"), fs.FileMode(f.mode("mode"))
	return func(p *player) error {
		content := p.fill(content)
		done := fmt.Sprintf("%d bytes written", len(content))
		return p.file("Write", path, done, func(root *os.Root, path string) error {
			return writeFile(root, path, content, add, mode)
		})
	}
}

// remove deletes a file or a whole folder. What is not there is deleted, so
// that a repeated iteration does not fail.
func remove(f *values) act {
	path := f.path("delete")
	return func(p *player) error {
		return p.file("Delete", path, "deleted", (*os.Root).RemoveAll)
	}
}

// file does one thing to a file, shown as a tool call. The root keeps links
// from leading out of the working directory.
func (p *player) file(tool, path, done string, do func(*os.Root, string) error) error {
	path = p.fill(path)
	id, err := p.call(tool, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return fmt.Errorf("open the working directory: %w", err)
	}
	defer root.Close()
	if err := do(root, path); err != nil {
		return err // names the act and the file
	}
	return p.emit(&loop.AgentToolResult{ID: id, Name: tool, Output: done})
}

func writeFile(root *os.Root, path, content string, add bool, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if add {
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	file, err := root.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(content); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil || mode == 0 {
		return err
	}
	return root.Chmod(path, mode)
}

// limit ends the attempt as a provider does that has had enough of us.
func limit(f *values) act {
	kind := f.some("limit")
	_, resets := f.fields["resets_in"]
	var in time.Duration
	if resets {
		in = f.duration("resets_in")
	}
	return func(p *player) error {
		reached := loop.Limit{Kind: kind}
		message := "usage limit reached: " + kind
		if resets {
			reached.Until = p.now().Add(in).UTC().Truncate(time.Millisecond)
			message += ", resets at " + reached.Until.Format(time.RFC3339)
		}
		if err := p.emit(&loop.AgentLimit{Limit: reached}); err != nil {
			return err
		}
		return &ending{1, &loop.AgentError{Kind: loop.ErrUsageLimit, Message: message}}
	}
}

func fault(f *values) act {
	kind, message := f.text("error"), f.text("message")
	if kinds := loop.ErrorKinds(); !slices.Contains(kinds, loop.ErrorKind(kind)) {
		known := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(kinds)), ", "), "[]")
		f.fail("error is %q: write one of %s", kind, known)
	}
	return func(p *player) error {
		return &ending{1, &loop.AgentError{Kind: loop.ErrorKind(kind), Message: p.fill(message)}}
	}
}

func exit(f *values) act {
	code := f.whole("exit", 0, 255, 0)
	return func(*player) error {
		if code == 0 {
			return &ending{}
		}
		return &ending{code, &loop.AgentError{Kind: loop.ErrAgent, Message: fmt.Sprintf("exit %d", code)}}
	}
}

// crash ends the agent where it stands: no result is printed.
func crash(f *values) act {
	f.yes("crash")
	return func(p *player) error { return p.die() }
}

func sleep(f *values) act {
	d := f.duration("sleep")
	return func(p *player) error { return p.rest(d) }
}

const (
	megabyte  = 1 << 20
	floodLine = 1 << 10 // newline included
)

// flood prints many lines: text of the agent on stdout, plain lines on stderr.
func flood(f *values) act {
	mb, toStderr := f.whole("flood_mb", 1, maxCount, 0), f.flag("stderr")
	return func(p *player) error {
		out, line := p.err, []byte(strings.Repeat("~", floodLine-1)+"\n")
		if !toStderr {
			bare, err := encode(&loop.AgentText{})
			if err != nil {
				return err
			}
			out = p.out
			if line, err = encode(&loop.AgentText{Text: strings.Repeat("~", floodLine-len(bare))}); err != nil {
				return err
			}
		}
		chunk := bytes.Repeat(line, megabyte/floodLine)
		for range mb {
			if _, err := out.Write(chunk); err != nil {
				return fmt.Errorf("flood: %w", err)
			}
		}
		return nil
	}
}

// endlessLine prints one very long line. It does end, so that the result
// stands on a line of its own.
func endlessLine(f *values) act {
	mb := f.whole("endless_line_mb", 1, maxCount, 0)
	return func(p *player) error {
		chunk := bytes.Repeat([]byte("~"), megabyte)
		for range mb {
			if err := p.print(chunk); err != nil {
				return err
			}
		}
		return p.print([]byte("\n"))
	}
}

// ignoreTerm makes the agent, and what it starts from now on, deaf to polite
// signals.
func ignoreTerm(f *values) act {
	f.yes("ignore_term")
	return func(p *player) error {
		p.deafen()
		return nil
	}
}

func hang(f *values) act {
	f.yes("hang")
	return func(p *player) error {
		for {
			if err := p.rest(time.Hour); err != nil {
				return err
			}
		}
	}
}

// crashRunner ends the runner as a power cut would. Another one goes on.
func crashRunner(f *values) act {
	f.yes("crash_runner")
	return onStage("crash_runner", func(p *part) error { return p.crashRunner() })
}

// fullDisk leaves the runner no room to save anything for a while.
func fullDisk(f *values) act {
	d := f.duration("full_disk")
	return onStage("full_disk", func(p *part) error { return p.fullDisk(d) })
}

// onStage does what only a stage can: a process cannot do it to its runner.
func onStage(verb string, do func(*part) error) act {
	return func(p *player) error {
		if p.stage == nil {
			return errors.New(verb + ` works in "refrain rehearse" only`)
		}
		return do(p.stage)
	}
}
