package request

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Environ is the environment of whatever a run starts that is no agent: gates,
// setups, hooks, stop scripts and commands in prompts. They run what an agent may
// have written, so they do without the keys by which agents are paid for, unless
// settings say otherwise.
func (a Assignment) Environ() []string {
	bare, _ := agent.Apart(proc.Environ(), a.Config().Sandbox.Env)
	return bare
}

// Keys is what the others do without: for agents alone.
func (a Assignment) Keys() []string {
	_, keys := agent.Apart(proc.Environ(), a.Config().Sandbox.Env)
	return keys
}

// Withheld are the names of the keys.
func (a Assignment) Withheld() []string {
	var names []string
	for _, kv := range a.Keys() {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, name)
	}
	return names
}
