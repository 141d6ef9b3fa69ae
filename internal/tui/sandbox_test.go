package tui

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheHeaderNamesTheSandbox(t *testing.T) {
	none := &loop.Sandbox{Mode: "none", Wanted: "auto", Why: "Linux 5.4 has no Landlock"}
	weaker := &loop.Sandbox{Mode: "landlock", Wanted: "auto", Why: "no user namespaces: apparmor_restrict_unprivileged_userns"}
	for _, tt := range []struct {
		name    string
		sandbox *loop.Sandbox
		width   int
		want    string
	}{
		{"in full", &loop.Sandbox{Mode: "namespaces"}, 120, "sandbox: namespaces"},
		{"in part", weaker, 120, "sandbox: landlock (no user na…"},
		{"on a small screen it makes room", weaker, 60, ""},
		{"that there is none does not", none, 80, "sandbox: none (Linux 5.…"},
		{"a run from before", nil, 200, ""},
	} {
		s := begin().tell(&loop.RunResumed{Sandbox: tt.sandbox}).working()
		header, _, _ := strings.Cut(screen((&world{}).shown(s, tt.width, 24)), "\n")
		if tt.want == "" && strings.Contains(header, "sandbox") || !strings.Contains(header, tt.want) {
			t.Errorf("%s: %q, want %q in it", tt.name, header, tt.want)
		}
	}
}

func TestTheScreenTellsWhatTheSandboxRefused(t *testing.T) {
	s := begin().working().in(1, 1, &loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org", Key: "sandbox.hosts"})
	wantShown(t, (&world{}).shown(s, 120, 24), "Refused by the sandbox: host pypi.org")
}
