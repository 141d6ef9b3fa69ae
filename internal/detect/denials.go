package detect

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Denials notes which tools the agent was not allowed to use, and whether it
// could run any command at all.
func Denials() Detector { return &denials{calls: map[string]call{}} }

type denials struct {
	calls  map[string]call // by id; those of commands, and the denied ones
	denied []string        // tools, in the order of their first denial
}

type call struct {
	name   string
	shell  bool
	denied bool
}

// maxCalls bounds what is kept of an attempt that calls tools without end. With
// so many commands, some of them ran.
const maxCalls = 10_000

func (d *denials) Hear(said loop.Payload) []loop.Payload {
	switch p := said.(type) {
	case *loop.AgentTool:
		if len(d.calls) < maxCalls {
			d.calls[p.ID] = call{name: p.Name, shell: p.Shell}
		}
	case *loop.AgentToolResult:
		d.settle(p)
	}
	return nil
}

// settle takes the result of a call. Some agents tell only at their end, with a
// second result, that a call was denied.
func (d *denials) settle(p *loop.AgentToolResult) {
	if !p.Denied {
		return
	}
	c := d.calls[p.ID]
	c.denied = true
	if c.name == "" {
		c.name = p.Name
	}
	d.calls[p.ID] = c
	if !slices.Contains(d.denied, c.name) {
		d.denied = append(d.denied, c.name)
	}
}

func (d *denials) Report(o *loop.Outcome) []loop.Payload {
	if len(d.denied) == 0 {
		return nil
	}
	o.Denied, o.NoShell = d.denied, d.noShell()
	return []loop.Payload{&loop.Warning{
		Text: "the agent was denied " + strings.Join(d.denied, ", "),
		Hint: "raise permissions.mode if it needs them; the next agent is told",
	}}
}

// noShell tells whether commands were tried and every one was denied.
func (d *denials) noShell() bool {
	tried := false
	for _, c := range d.calls {
		if c.shell && !c.denied {
			return false
		}
		tried = tried || c.shell
	}
	return tried
}
