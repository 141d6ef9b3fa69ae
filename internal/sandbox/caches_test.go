package sandbox

import (
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
)

// What people call by its name, and what acts on every build, may be changed only
// where the change stays in the project.
func TestWhatMayBeChangedOfToolsOfTheUser(t *testing.T) {
	for _, tt := range []struct{ path, landlock, namespaces string }{
		{".bun/bin/bun", "read", "private"},
		{".bun/install/cache/x", "private", "private"},
		{".cargo/bin/cargo", "read", "private"},
		{".cargo/config.toml", "read", "private"},
		{".cargo/registry/x", "private", "private"},
		{".deno/bin/deno", "read", "private"},
		{".dotnet/tools/x", "read", "private"},
		{".gradle/caches/x", "private", "private"},
		{".gradle/init.d/x.gradle", "read", "private"},
		{".local/share/pnpm/pnpm", "read", "private"},
		{".local/share/pnpm/store/x", "private", "private"},
		{".local/share/uv/python/x", "private", "private"},
		{".local/share/uv/tools/x", "read", "private"},
		{".m2/repository/x", "private", "private"},
		{".m2/settings.xml", "read", "read"},
		{".mix/archives/x", "read", "private"},
		{".npm/x", "private", "private"},
		{".pub-cache/bin/x", "read", "private"},
		{".pub-cache/hosted/x", "private", "private"},
		{".pyenv/versions/3/bin/python", "read", "private"},
		{".rustup/toolchains/x", "read", "private"},
		{"go/bin/x", "read", "read"},
		{"go/pkg/mod/x", "private", "private"},
		{"go/src/other/x", "read", "read"},
	} {
		for kind, want := range map[fence.Kind]string{fence.Landlock: tt.landlock, fence.Namespaces: tt.namespaces} {
			p := house(t, kind, tt.path)
			for _, role := range []proc.Role{proc.Agent, proc.Judge, proc.Reviewer} {
				if got := may(p.Policy(role), filepath.Join(p.Home, tt.path)); got != want {
					t.Errorf("%s, %s of %s: %s, want %s", kind, tt.path, roleNames[role], got, want)
				}
			}
		}
	}
}

func TestCachesThatVariablesName(t *testing.T) {
	p := house(t, fence.Landlock, "elsewhere/cargo/registry/x", "elsewhere/cargo/bin/x", "elsewhere/mod/x", "src/p/.cache/x")
	at := func(path string) string { return filepath.Join(p.Home, path) }
	env := map[string]string{"CARGO_HOME": at("elsewhere/cargo"), "GOMODCACHE": at("elsewhere/mod"), "PIP_CACHE_DIR": at("src/p/.cache"), "XDG_CACHE_HOME": "/"}
	p.Getenv = func(name string) string { return env[name] }
	policy := p.Policy(proc.Judge)
	for path, want := range map[string]string{"elsewhere/cargo/registry/x": "private", "elsewhere/cargo/bin/x": "read", "elsewhere/mod/x": "private", "src/p/.cache/x": "write", ".bashrc": "read"} {
		if got := may(policy, at(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A cache can only be opened when it is there; a folder of a tool that is not there
// is not made.
func TestCachesAreMadeInToolsThatAreThere(t *testing.T) {
	p := house(t, fence.Landlock, ".gradle/", ".cargo/")
	for path, want := range map[string]bool{".gradle/caches": true, ".gradle/init.d": false, ".cargo/registry": true, ".m2": false, ".bun": false, "go": false} {
		if got := isThere(filepath.Join(p.Home, path)); got != want {
			t.Errorf("%s is there: %t", path, got)
		}
	}
	p = house(t, fence.Namespaces, ".gradle/", "go/")
	for path, want := range map[string]bool{".gradle/caches": false, "go/pkg": true} {
		if got := isThere(filepath.Join(p.Home, path)); got != want {
			t.Errorf("in namespaces %s is there: %t", path, got)
		}
	}
}
