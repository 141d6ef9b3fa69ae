package view

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatASandboxRefusedInNumbers(t *testing.T) {
	for want, counted := range map[string]loop.FencedOff{
		"":                  {},
		"1 host":            {HostsRefused: 1},
		"2 sockets":         {SocketsRefused: 2},
		"2 hosts, 1 socket": {HostsRefused: 2, SocketsRefused: 1},
	} {
		if got := SandboxRefused(counted); got != want {
			t.Errorf("%+v: %q, want %q", counted, got, want)
		}
	}
}

// Who was refused has chosen the name: it must not become another line of a settings
// file, nor speak to the terminal.
func TestTheSettingThatAllowsIt(t *testing.T) {
	for _, tt := range []struct {
		refused loop.SandboxRefused
		want    string
	}{
		{loop.SandboxRefused{What: "host", Name: "example.com", Key: "sandbox.hosts"}, `sandbox.hosts = ["example.com"]`},
		{loop.SandboxRefused{What: "socket", Name: "/run/docker.sock", Key: "sandbox.allow", Value: "docker"}, `sandbox.allow = ["docker"]`},
		{loop.SandboxRefused{What: "socket", Name: "/run/x"}, ""},
		{loop.SandboxRefused{Name: "a\"]\nmode = \"none\"", Key: "sandbox.hosts"}, `sandbox.hosts = ["a\"] mode = \"none\""]`},
		{loop.SandboxRefused{Name: "a\x1b[2J\\b\u202e", Key: "sandbox.hosts"}, `sandbox.hosts = ["a\\b"]`},
	} {
		if got := Allow(&tt.refused); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.refused, got, tt.want)
		}
	}
}

func TestTheNarratorTellsOfTheSandbox(t *testing.T) {
	fenced := &loop.Sandbox{Mode: "landlock", Why: "no user\nnamespaces"}
	for _, tt := range []struct {
		payload loop.Payload
		want    Fact
	}{
		{&loop.RunStarted{Name: "build-7", Sandbox: fenced}, Fact{Kind: Info, Text: "Sandbox: landlock (no user namespaces)"}},
		{&loop.RunResumed{Sandbox: fenced}, Fact{Kind: Info, Text: "Sandbox: landlock (no user namespaces)"}},
		{
			&loop.SandboxRefused{What: "host", Name: "example.com", Key: "sandbox.hosts", By: "agent"},
			Fact{Kind: Refusal, Text: `Refused by the sandbox: host example.com, wanted by the agent (allow it with sandbox.hosts = ["example.com"])`},
		},
		{&loop.SandboxRefused{What: "socket", Name: "/run/x"}, Fact{Kind: Refusal, Text: "Refused by the sandbox: socket /run/x"}},
	} {
		if got := NewNarrator(New()).Tell(loop.Event{Time: noon, Payload: tt.payload}); !slices.Contains(got, tt.want) {
			t.Errorf("%s: %+v, want %+v among them", tt.payload.Type(), got, tt.want)
		}
	}
	for _, old := range []loop.Payload{&loop.RunStarted{Name: "build-7"}, &loop.RunResumed{}} {
		for _, f := range NewNarrator(New()).Tell(loop.Event{Time: noon, Payload: old}) {
			if len(f.Text) > 7 && f.Text[:7] == "Sandbox" {
				t.Errorf("%s without one: %q", old.Type(), f.Text)
			}
		}
	}
}

func TestARunThatIsNotConfinedIsNotLeft(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sandbox *loop.Sandbox
		safe    bool
		missing []string
		says    string
	}{
		{"a run from before", nil, true, nil, ""},
		{"confined", &loop.Sandbox{Mode: "namespaces"}, true, nil, "namespaces"},
		{"asked for none", &loop.Sandbox{Mode: "none", Wanted: "none"}, true, nil, "none (asked for)"},
		{"none", &loop.Sandbox{Mode: "none", Wanted: "auto", Why: "macOS: not built yet"}, false, []string{"the agent is not confined: macOS: not built yet"}, "none (macOS: not built yet)"},
	} {
		l := after(worked(), loop.RunStarted{Limits: loop.Limits{Iterations: 20}, Sandbox: tt.sandbox}).Leave()
		if l.Safe != tt.safe || !slices.Equal(l.Missing, tt.missing) || l.Sandbox != tt.says {
			t.Errorf("%s: safe %t, missing %q, sandbox %q", tt.name, l.Safe, l.Missing, l.Sandbox)
		}
		if ground := (Ground{"sandbox", tt.says}); !slices.Contains(l.Grounds(), ground) {
			t.Errorf("%s: %+v is not among the grounds", tt.name, ground)
		}
	}
}
