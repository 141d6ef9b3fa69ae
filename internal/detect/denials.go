package detect

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Denials notes which tools the agent was not allowed to use, and whether it
// could run any command at all.
func Denials() Detector { return &denials{shell: map[string]bool{}} }

type denials struct {
	names  map[string]string // of the calls under way, by id
	shell  map[string]bool   // the calls of commands, by id
	ran    int               // commands that were not denied
	denied []string          // tools, in the order of their first denial
	barred int               // commands that were denied
}

func (d *denials) Observe(e loop.Event) {
	switch p := e.Payload.(type) {
	case *loop.AgentTool:
		if d.names == nil {
			d.names = map[string]string{}
		}
		d.names[p.ID] = p.Name
		d.shell[p.ID] = p.Shell
	case *loop.AgentToolResult:
		d.settle(p)
	}
}

// settle takes the result of a call, which is then over.
func (d *denials) settle(p *loop.AgentToolResult) {
	name, shell := d.names[p.ID], d.shell[p.ID]
	delete(d.names, p.ID)
	delete(d.shell, p.ID)
	if name == "" {
		name = p.Name
	}
	switch {
	case !p.Denied && shell:
		d.ran++
	case p.Denied && shell:
		d.barred++
	}
	if p.Denied && !slices.Contains(d.denied, name) {
		d.denied = append(d.denied, name)
	}
}

func (d *denials) Report(o *loop.Outcome) []loop.Payload {
	if len(d.denied) == 0 {
		return nil
	}
	o.Denied = d.denied
	o.NoShell = d.barred > 0 && d.ran == 0
	return []loop.Payload{&loop.Warning{
		Text: "the agent was denied " + strings.Join(d.denied, ", "),
		Hint: "raise permissions.mode if it needs them; the next agent is told",
	}}
}
