package tui

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheHeaderNamesTheSandbox(t *testing.T) {
	none := &loop.Sandbox{Mode: "none", Wanted: "auto", Why: "Linux 5.4 has no Landlock"}
	asked := &loop.Sandbox{Mode: "none", Wanted: "none"}
	weaker := &loop.Sandbox{Mode: "landlock", Wanted: "auto", Why: "no user namespaces: apparmor_restrict_unprivileged_userns"}
	docker := &loop.Sandbox{Mode: "namespaces", Open: []string{"docker"}}
	for _, tt := range []struct {
		name     string
		sandbox  *loop.Sandbox
		width    int
		stopping bool
		want     string
	}{
		{"in full", &loop.Sandbox{Mode: "namespaces"}, 120, false, "sandbox: namespaces"},
		{"without its reason", weaker, 120, false, "sandbox: landlock "},
		{"with all that it warns of", docker, 120, false, "sandbox: namespaces, docker open: not confined"},
		{"which stays where there is less room", docker, 80, false, "  docker open: not confined"},
		{"and while the run stops", docker, 80, true, "  docker open: not confined"},
		{"on a small screen it makes room", weaker, 60, false, ""},
		{"that there is none does not", none, 80, false, "sandbox: none"},
		{"nor that none was asked for", asked, 80, true, "sandbox: none (asked for)"},
		{"nor on the smallest", asked, 40, false, "sandbox: none"},
		{"a run from before", nil, 200, false, ""},
	} {
		s := begin().tell(&loop.RunResumed{Sandbox: tt.sandbox}).working()
		if tt.stopping {
			s = s.tell(&loop.CommandReceived{Command: "stop"})
		}
		header, _, _ := strings.Cut(screen((&world{}).shown(s, tt.width, 24)), "\n")
		if tt.want == "" && strings.Contains(header, "sandbox") || !strings.Contains(header+" ", tt.want) {
			t.Errorf("%s: %q, want %q in it", tt.name, header, tt.want)
		}
		if tt.stopping && !strings.Contains(header, "stopping") {
			t.Errorf("%s: %q does not say that it stops", tt.name, header)
		}
	}
}

func TestTheScreenTellsWhatTheSandboxRefused(t *testing.T) {
	s := begin().working().in(1, 1, &loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org", Key: "sandbox.hosts"})
	wantShown(t, (&world{}).shown(s, 120, 24), "Refused by the sandbox: host pypi.org")
}
