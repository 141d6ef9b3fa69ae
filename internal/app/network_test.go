package app

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// listedIn is an assignment with a listed network in a work tree with these files.
func listedIn(t *testing.T, settings string, names ...string) request.Assignment {
	t.Helper()
	tree := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, name := range append(names, "refrain.toml") {
		path := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("sandbox.network = \"listed\"\n"+settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := request.Load(tree, request.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWhoMayReachWhat(t *testing.T) {
	for _, name := range os.Environ() {
		if name, _, _ := strings.Cut(name, "="); strings.HasPrefix(name, "ANTHROPIC_") || strings.HasPrefix(name, "OPENAI_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://localhost:4000")
	a := listedIn(t, "sandbox.hosts = [\"mine.example.com\"]\n[agents.claude.env]\nANTHROPIC_BASE_URL = \"https://theirs.example.com\"\n", "go.mod", "web/package.json", "web/node_modules/x/Cargo.toml", ".venv/pom.xml", "a/b/c/d/e/Gemfile")
	got := hostsOf(a, site{agents: []string{"claude"}, reviews: []string{"codex"}})
	for _, tt := range []struct {
		host string
		want []proc.Role
	}{
		{"mine.example.com", roles},
		{"proxy.golang.org", roles},
		{"registry.npmjs.org", roles},
		{"index.crates.io", nil}, // of others
		{"repo1.maven.org", nil},
		{"rubygems.org", nil}, // too far down
		{"api.anthropic.com", []proc.Role{proc.Agent}},
		{"localhost:4000", []proc.Role{proc.Agent}},
		{"theirs.example.com", nil}, // a project can not send it there
		{"api.openai.com", []proc.Role{proc.Reviewer}},
	} {
		for _, role := range roles {
			if slices.Contains(got[role], tt.host) != slices.Contains(tt.want, role) {
				t.Errorf("%s for the %s: %v", tt.host, wantedBy[role], got[role])
			}
		}
	}
}

func TestTheProxysPortIsNoOthers(t *testing.T) {
	if got := freePort([]string{"localhost:61128", "[::1]:61129", "localhost:5432"}); got != 61130 {
		t.Errorf("freePort = %d", got)
	}
}

// The folder for temporary files may be one with a long path.
func TestEachRoleHasAWayOfItsOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the path of a socket is short here")
	}
	a := listedIn(t, "sandbox.hosts = [\"localhost:5432\"]\n")
	for _, kind := range []fence.Kind{fence.Landlock, fence.Namespaces} {
		var told news
		temp := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
		if err := os.Mkdir(temp, 0o700); err != nil {
			t.Fatal(err)
		}
		n, err := openNetwork(a, kind, site{temp: temp}, &told)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, role := range roles {
			way := n.ways[role]
			if way.Proxy == "" || seen[way.Proxy] || way.Port == 0 || !slices.Equal(way.Forward, []string{"localhost:5432"}) {
				t.Errorf("%s, the %s: %+v", kind, wantedBy[role], way)
			}
			seen[way.Proxy] = true
		}
		n.close()
	}
}
