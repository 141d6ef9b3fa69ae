package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
)

// house is a home folder with a work tree, and what else a run knows.
func house(t *testing.T, kind fence.Kind, names ...string) Place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(home, "src/p")
	for _, name := range append(names, "src/p/.git/hooks/", "src/p/.git/config", ".cache/", ".claude/settings.json", ".claude/.credentials.json", ".codex/auth.json", ".ssh/id", ".ssh/known_hosts") {
		path := filepath.Join(home, name)
		if strings.HasSuffix(name, "/") {
			make(t, path)
			continue
		}
		make(t, filepath.Dir(path))
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := Place{
		Kind: kind, Home: home, Tree: tree, Git: Git{Common: filepath.Join(tree, ".git"), Own: filepath.Join(tree, ".git")},
		Said: filepath.Join(home, "state/run/said"), Proof: filepath.Join(home, "state/run/proof"), State: filepath.Join(home, "state"),
		Cache: filepath.Join(home, ".cache"), Upper: filepath.Join(home, "state/caches"), Temp: filepath.Join(home, "tmp"),
		Agents: []string{"claude"}, Reviews: []string{"codex"}, Getenv: func(string) string { return "" },
	}
	if err := p.MakeReady(); err != nil {
		t.Fatal(err)
	}
	return p
}

func make(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// may tells what a policy says of a path: the nearest entry above it decides.
func may(p *fence.Policy, path string) string {
	best, said := "", "read"
	for word, list := range map[string][]string{"write": append(slices.Clone(p.Write), p.Temp), "keep": p.Keep, "hide": p.Hide, "show": p.Show, "private": p.Private} {
		for _, one := range list {
			if (path == one || strings.HasPrefix(path, one+"/")) && (len(one) > len(best) || len(one) == len(best) && word == "hide") {
				best, said = one, word
			}
		}
	}
	return said
}

func TestWhatEachRoleMayReach(t *testing.T) {
	p := house(t, fence.Namespaces, ".config/gh/hosts.yml", "go/", ".npmrc", "state/seal.key", ".npm/")
	if err := os.WriteFile(filepath.Join(p.Home, ".npmrc"), []byte("//x/:_authToken=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	roles := []proc.Role{proc.Agent, proc.Judge, proc.Reviewer}
	for path, want := range map[string][3]string{ // agent, judge, reviewer
		"src/p/main.go":             {"write", "write", "read"},
		"src/p/.git/index":          {"write", "write", "read"},
		"src/p/.git/hooks/x":        {"keep", "keep", "read"},
		"src/p/.git/config":         {"keep", "keep", "read"},
		"src/q/main.go":             {"read", "read", "read"},
		".bashrc":                   {"read", "read", "read"},
		".ssh/id":                   {"hide", "hide", "hide"},
		".ssh/known_hosts":          {"show", "show", "show"},
		".config/gh/hosts.yml":      {"hide", "hide", "hide"},
		".npmrc":                    {"hide", "hide", "hide"},
		".claude/projects/x":        {"write", "read", "read"},
		".claude/settings.json":     {"keep", "read", "read"},
		".claude/.credentials.json": {"write", "hide", "hide"},
		".codex/auth.json":          {"hide", "hide", "write"},
		".codex/sessions/x":         {"read", "read", "write"},
		"state/seal.key":            {"hide", "hide", "hide"},
		"state/run/journal.jsonl":   {"read", "read", "read"},
		"state/run/proof/1/x":       {"hide", "write", "read"},
		"state/run/said/metadata":   {"read", "write", "read"},
		".cache/go-build/x":         {"private", "private", "private"},
		"go/pkg/mod/x":              {"private", "private", "private"},
		".npm/x":                    {"private", "private", "private"},
		"tmp/agent/x":               {"write", "read", "read"},
		"tmp/judge/x":               {"read", "write", "read"},
	} {
		for i, role := range roles {
			if got := may(p.Policy(role), filepath.Join(p.Home, path)); got != want[i] {
				t.Errorf("%s of the %s: %s, want %s", path, roleNames[role], got, want[i])
			}
		}
	}
	if got := p.Policy(proc.Own); got != nil {
		t.Errorf("the runner's own is held to %+v", got)
	}
}

// In a work tree beside the main one, what decides how git acts is out of reach
// without a mount.
func TestALinkedWorkTreeMayWriteOnlyWhatACommitWrites(t *testing.T) {
	p := house(t, fence.Namespaces, "main/.git/objects/", "main/.git/refs/", "main/.git/logs/", "main/.git/hooks/", "main/.git/config", "main/.git/packed-refs", "main/.git/worktrees/p/HEAD")
	common := filepath.Join(p.Home, "main/.git")
	p.Git = Git{Common: common, Own: filepath.Join(common, "worktrees/p")}
	policy := p.Policy(proc.Agent)
	for name, want := range map[string]string{"objects/aa/b": "write", "refs/heads/x": "write", "logs/HEAD": "write", "packed-refs": "write", "worktrees/p/index": "write", "worktrees/q/index": "read"} {
		if got := may(policy, filepath.Join(common, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"config", "hooks", "hooks/pre-commit"} {
		if got := may(policy, filepath.Join(common, name)); got == "write" {
			t.Errorf("%s may be written", name)
		}
	}
}

func TestWhatIsAllowed(t *testing.T) {
	p := house(t, fence.Namespaces, ".docker/config.json", ".gnupg/x", "out/")
	agent := filepath.Join(p.Home, "agent.sock")
	if err := os.WriteFile(agent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Getenv = func(name string) string { return map[string]string{"SSH_AUTH_SOCK": agent}[name] }
	at := func(path string) string { return filepath.Join(p.Home, path) }

	if got := may(p.Policy(proc.Agent), at("out/x")); got != "read" {
		t.Errorf("out: %s before it is allowed", got)
	}
	p.Allow = []string{"~/out", "docker"}
	policy := p.Policy(proc.Agent)
	if got := may(policy, at("out/x")); got != "write" {
		t.Errorf("out: %s, want write", got)
	}
	if got := may(policy, at(".docker/config.json")); got != "read" {
		t.Errorf(".docker/config.json: %s, want read", got)
	}
	if got := may(policy, at(".ssh/id")); got != "hide" {
		t.Errorf(".ssh: %s, want hide", got)
	}
	p.Allow = []string{"ssh"}
	if policy := p.Policy(proc.Agent); may(policy, at(".ssh/id")) == "hide" || !slices.Contains(policy.Sockets, agent) {
		t.Errorf("ssh is not let in: %+v", policy)
	}
}

// A commit may be signed with a key of the user's, and a gate may not. Where none is,
// the hooks of a commit see no key.
func TestOnlyACommitSigns(t *testing.T) {
	p := house(t, fence.Namespaces, ".gnupg/x")
	for signs, want := range map[string][2]string{"": {"hide", "hide"}, "gpg": {"write", "hide"}, "ssh": {"hide", "read"}} {
		p.Signs = signs
		for i, path := range []string{".gnupg/x", ".ssh/id"} {
			if got := may(p.Policy(proc.Judge), filepath.Join(p.Home, path)); got != "hide" {
				t.Errorf("with %q, a gate: %s of %s", signs, got, path)
			}
			if got := may(p.Policy(proc.Committer), filepath.Join(p.Home, path)); got != want[i] {
				t.Errorf("with %q, a commit: %s of %s, want %s", signs, got, path, want[i])
			}
		}
	}
}

func TestHidingIsAdded(t *testing.T) {
	p := house(t, fence.Landlock, "diary/x", "letters/x")
	p.Hide = []string{filepath.Join(p.Home, "diary"), "~/letters"}
	for _, role := range []proc.Role{proc.Agent, proc.Judge, proc.Committer, proc.Reviewer} {
		for _, path := range []string{"diary/x", "letters/x"} {
			if got := may(p.Policy(role), filepath.Join(p.Home, path)); got != "hide" {
				t.Errorf("role %d: %s of %s", role, got, path)
			}
		}
	}
}

func TestThePathShowsNothingThatIsHidden(t *testing.T) {
	p := house(t, fence.Landlock, "diary/bin/x", "tools/bin/x")
	if !fence.Covered(p.Home) {
		t.Skip("temporary files are elsewhere here")
	}
	path := p.Home + "/diary/bin" + string(os.PathListSeparator) + p.Home + "/tools/bin"
	p.Hide = []string{"~/diary"}
	p.Getenv = func(name string) string { return map[string]string{"PATH": path}[name] }
	policy := p.Policy(proc.Agent)
	for file, want := range map[string]string{"diary/bin/x": "hide", "tools/bin/x": "show"} {
		if got := may(policy, filepath.Join(p.Home, file)); got != want {
			t.Errorf("%s of %s, want %s", got, file, want)
		}
	}
}

func TestEachRoleHasItsWay(t *testing.T) {
	p := house(t, fence.Namespaces, "tmp/net/1.sock")
	p.Ways = map[proc.Role]Way{
		proc.Agent: {Proxy: filepath.Join(p.Temp, "net/1.sock"), Port: 61128, Forward: []string{"localhost:5432"}},
		proc.Judge: {Proxy: filepath.Join(p.Temp, "net/2.sock"), Port: 61128},
	}
	for role, way := range p.Ways {
		got := p.Policy(role)
		if got.Proxy != way.Proxy || got.ProxyPort != way.Port || !slices.Equal(got.Forward, way.Forward) {
			t.Errorf("role %d: %+v, want %+v", role, got, way)
		}
		if may(got, way.Proxy) != "hide" {
			t.Errorf("role %d may see %s", role, way.Proxy)
		}
		env := p.Environ(role, []string{"HTTPS_PROXY=http://other", "JAVA_TOOL_OPTIONS=-Dmine=1", "X=kept"}, nil)
		if !slices.Contains(env, "X=kept") || !slices.Contains(env, "HTTPS_PROXY=http://127.0.0.1:61128") || slices.Index(env, "HTTPS_PROXY=http://127.0.0.1:61128") < slices.Index(env, "HTTPS_PROXY=http://other") {
			t.Errorf("role %d has %v", role, env)
		}
	}
	p.Ways = nil
	if got := p.Policy(proc.Agent); got.Proxy != "" {
		t.Errorf("with an open network: %+v", got)
	}
	if env := p.Environ(proc.Agent, nil, nil); slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "HTTP") }) {
		t.Errorf("with an open network: %v", env)
	}
}

func TestOpeningOf(t *testing.T) {
	p := house(t, fence.Landlock)
	p.Getenv = func(name string) string {
		return map[string]string{"SSH_AUTH_SOCK": "/some/agent.1", "DOCKER_HOST": "unix:///srv/d.sock"}[name]
	}
	for socket, want := range map[string]string{
		"/run/docker.sock": "docker", "/srv/d.sock": "docker", p.Home + "/.docker/run/x": "docker", "/some/agent.1": "ssh", "/some/agent.2": "",
		p.Home + "/.gnupg/S.gpg-agent": "gpg", "/run/dbus/system_bus_socket": "dbus", "/tmp/.X11-unix/X0": "display", "/run/other": "",
	} {
		if got := p.OpeningOf(socket); got != want {
			t.Errorf("OpeningOf(%s) = %q, want %q", socket, got, want)
		}
	}
}

// What leads out leads out by any name, and the phrase says so.
func TestWhatLeadsOutByItsPath(t *testing.T) {
	p := house(t, fence.Namespaces, "run/docker.sock", "run/other.sock", "run/bus", "elsewhere/")
	p.Getenv = func(name string) string {
		return map[string]string{"DOCKER_HOST": "unix://" + p.Home + "/run/docker.sock", "XDG_RUNTIME_DIR": p.Home + "/run"}[name]
	}
	if err := os.Symlink(p.Home, filepath.Join(p.Home, "elsewhere/home")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ allow, want []string }{
		{[]string{"ssh", "/x", "~/elsewhere", "~/run/other.sock"}, nil},
		{[]string{"docker"}, []string{"docker"}},
		{[]string{"~/run/docker.sock", "docker"}, []string{"docker"}},
		{[]string{"~/run"}, []string{"dbus", "docker"}},
		{[]string{"~"}, []string{"home", "dbus", "docker"}},
		{[]string{filepath.Dir(p.Home)}, []string{"home", "dbus", "docker"}},
		{[]string{"~/elsewhere/home"}, []string{"home", "dbus", "docker"}},
	} {
		p.Allow = tt.allow
		if got := p.Escapes(); !slices.Equal(got, tt.want) {
			t.Errorf("with %q open: %q, want %q", tt.allow, got, tt.want)
		}
	}
}

// Whatever is allowed, the records of runs are not changed inside.
func TestOurOwnRecordsAreNotLetIn(t *testing.T) {
	p := house(t, fence.Namespaces, "state/projects/x/runs/", "out/")
	for _, allow := range []string{"~", "~/state", "~/state/projects/x"} {
		p.Allow = []string{"~/out", allow}
		policy := p.Policy(proc.Agent)
		if got := may(policy, filepath.Join(p.State, "projects/x/runs")); got == "write" {
			t.Errorf("with %s allowed the records may be written", allow)
		}
		if got := may(policy, filepath.Join(p.Home, "out")); got != "write" {
			t.Errorf("with %s allowed: %s of out", allow, got)
		}
	}
}
