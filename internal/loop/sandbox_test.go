package loop

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestThePhraseOfASandbox(t *testing.T) {
	for _, tt := range []struct {
		sandbox *Sandbox
		want    string
	}{
		{nil, ""},
		{&Sandbox{Mode: "namespaces", Wanted: "auto", Network: "open"}, "namespaces"},
		{&Sandbox{Mode: "landlock", Wanted: "auto", Why: "no user namespaces: apparmor_restrict_unprivileged_userns"}, "landlock (no user namespaces: apparmor_restrict_unprivileged_userns)"},
		{&Sandbox{Mode: "namespaces", Open: []string{"docker"}}, "namespaces, docker open: not confined"},
		{&Sandbox{Mode: "namespaces", Open: []string{"docker", "dbus"}}, "namespaces, docker and dbus open: not confined"},
		{&Sandbox{Mode: "namespaces", Network: "listed"}, "namespaces, network listed"},
		{&Sandbox{Mode: "landlock", Why: "so", Open: []string{"docker"}, Network: "listed"}, "landlock (so), docker open: not confined, network listed"},
		{&Sandbox{Mode: "none", Wanted: "auto", Why: "Linux 5.4 has no Landlock"}, "none (Linux 5.4 has no Landlock)"},
		{&Sandbox{Mode: "none", Wanted: "auto"}, "none"},
		{&Sandbox{Mode: "none", Wanted: "none"}, "none (asked for)"},
		{&Sandbox{Mode: "none", Wanted: "none", Why: "so", Open: []string{"docker"}}, "none (asked for)"},
		{&Sandbox{Mode: "none", Wanted: "auto", Why: "so", Open: []string{"docker"}, Network: "listed"}, "none (so)"},
	} {
		if got := tt.sandbox.String(); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.sandbox, got, tt.want)
		}
	}
}

func TestOnlyWhatNobodyAskedForIsWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		sandbox *Sandbox
		want    string
	}{
		{nil, ""},
		{&Sandbox{Mode: "landlock", Wanted: "auto", Why: "so"}, ""},
		{&Sandbox{Mode: "namespaces", Wanted: "auto", Open: []string{"docker"}}, ""},
		{&Sandbox{Mode: "none", Wanted: "none"}, ""},
		{&Sandbox{Mode: "none", Wanted: "auto", Why: "Linux 5.4 has no Landlock"}, "the agent is not confined: Linux 5.4 has no Landlock"},
		{&Sandbox{Mode: "none", Wanted: "auto"}, "the agent is not confined"},
		{&Sandbox{Mode: "none"}, "the agent is not confined"},
	} {
		text, hint, ok := tt.sandbox.Warning()
		if text != tt.want || ok != (tt.want != "") || (hint != "") != ok {
			t.Errorf("%+v warns of %q (hint %q, %t), want %q", tt.sandbox, text, hint, ok, tt.want)
		}
	}
}

// A reader of one iteration.finished knows the sandbox, and after a resume it is that
// of the runner that goes on.
func TestTheStateKnowsTheSandboxOfTheLastRunner(t *testing.T) {
	first, second := &Sandbox{Mode: "namespaces"}, &Sandbox{Mode: "none", Wanted: "none"}
	s := told(State{}, &RunStarted{Sandbox: first}, &IterationStarted{})
	if s.Sandbox != first {
		t.Errorf("after the start it is %v", s.Sandbox)
	}
	if s = told(s, &RunResumed{Sandbox: second}); s.Sandbox != second {
		t.Errorf("after a resume it is %v", s.Sandbox)
	}
	if s = told(s, &RunResumed{}); s.Sandbox != nil {
		t.Errorf("after a runner that does not tell it is %v: nobody knows", s.Sandbox)
	}
}

func TestWhatTheSandboxRefusedIsCountedOnce(t *testing.T) {
	host := &SandboxRefused{What: RefusedHost, Name: "example.com", Key: "sandbox.hosts", By: "agent"}
	s := told(State{}, host, &SandboxRefused{What: RefusedSocket, Name: "example.com"}, host, &SandboxRefused{What: RefusedHost, Name: "example.com", By: "gate"},
		&RunResumed{}, host, &SandboxRefused{What: "weather", Name: "rain"})
	if want := (FencedOff{HostsRefused: 1, SocketsRefused: 1}); s.Totals.FencedOff != want {
		t.Errorf("counted %+v, want %+v", s.Totals.FencedOff, want)
	}
	if len(s.SandboxRefusals) != 3 || s.SandboxRefusals[0] != *host {
		t.Errorf("kept %+v", s.SandboxRefusals)
	}
	if s.Totals.Refused != 0 || s.Refusals != nil {
		t.Error("it is no claim")
	}
}

func TestTheStateStaysSmallWhateverTheSandboxRefuses(t *testing.T) {
	s := State{}
	for n := range 1000 {
		s = told(s, &SandboxRefused{What: RefusedHost, Name: fmt.Sprint(n, strings.Repeat("x", 5000)), Key: "sandbox.hosts"})
	}
	if len(s.SandboxRefusals) != maxSandboxRefused || s.Totals.HostsRefused != 1000 {
		t.Errorf("%d are kept, and %d counted", len(s.SandboxRefusals), s.Totals.HostsRefused)
	}
	if name := s.SandboxRefusals[0].Name; len(name) > maxText || name[0] != '0' {
		t.Errorf("the first is %d bytes long and begins with %q", len(name), name[:1])
	}
}

func TestTheNamesOfASandboxInJSON(t *testing.T) {
	start := RunStarted{Sandbox: &Sandbox{Mode: "namespaces", Wanted: "auto", Why: "so", Open: []string{"docker"}, Network: "open"}}
	got, err := json.Marshal(start.Sandbox)
	if want := `{"mode":"namespaces","wanted":"auto","why":"so","open":["docker"],"network":"open"}`; err != nil || string(got) != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	for _, old := range []any{RunStarted{}, RunResumed{}, State{}} {
		if got, _ := json.Marshal(old); strings.Contains(string(got), "sandbox") || strings.Contains(string(got), "refused") {
			t.Errorf("%T without one is %s", old, got)
		}
	}
}
