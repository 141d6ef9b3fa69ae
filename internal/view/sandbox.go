package view

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Sandbox is the phrase for what a run is confined by; empty where that is not known.
func Sandbox(s *loop.Sandbox) string { return text.Line(s.String()) }

// SandboxRefused counts what a sandbox has refused: "2 hosts, 1 socket". It is empty
// for nothing.
func SandboxRefused(t loop.FencedOff) string {
	var parts []string
	if n := t.HostsRefused; n > 0 {
		parts = append(parts, text.Plural(n, loop.RefusedHost))
	}
	if n := t.SocketsRefused; n > 0 {
		parts = append(parts, text.Plural(n, loop.RefusedSocket))
	}
	return strings.Join(parts, ", ")
}

// RefusedOutside is one thing that the sandbox refused: "host example.com, wanted by the agent".
func RefusedOutside(p *loop.SandboxRefused) string {
	said := text.Line(p.What + " " + p.Name)
	if by := text.Line(p.By); by != "" {
		said += ", wanted by the " + by
	}
	return said
}

// Allow is the setting that would let it through; empty when there is none. The name
// was chosen by who was refused, so it is quoted with care.
func Allow(p *loop.SandboxRefused) string {
	if p.Key == "" {
		return ""
	}
	return text.Line(p.Key) + " = [" + strconv.Quote(text.Line(cmp.Or(p.Value, p.Name))) + "]"
}

// refusedOutside tells what was refused, and how to allow it.
func refusedOutside(p *loop.SandboxRefused) []Fact {
	said := "Refused by the sandbox: " + RefusedOutside(p)
	if allow := Allow(p); allow != "" {
		said += " (allow it with " + allow + ")"
	}
	return []Fact{{Kind: Refusal, Text: said}}
}

// confined tells which sandbox the run has, and that it has none: who asked for that
// may have done so in a file, long ago, and an agent can write files.
func confined(s *loop.Sandbox) []Fact {
	if s == nil {
		return nil
	}
	return one(Info, "Sandbox: %s", Sandbox(s))
}
