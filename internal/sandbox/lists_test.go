package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
)

// write writes a file below a folder.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	make(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// kinds are both kinds of sandboxes.
var kinds = []fence.Kind{fence.Landlock, fence.Namespaces}

func TestSettingsAreHiddenWhenTheyHoldASecret(t *testing.T) {
	for _, tt := range []struct{ path, harmless, secret string }{
		{".bundle/config", "BUNDLE_JOBS: \"4\"\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: \"https://m\"\n", "BUNDLE_GEMS__EXAMPLE__COM: \"me:pw\"\n"},
		{".bunfig.toml", "[install]\nexact = true\n", "[install.registry]\ntoken = \"x\"\n"},
		{".condarc", "channels: [conda-forge]\n", "channels: [https://host/t/tk-1/x]\n"},
		{".config/NuGet/NuGet.Config", "<packageSources/>", "<add key=\"ClearTextPassword\" value=\"x\"/>"},
		{".config/pip/pip.conf", "[global]\nindex-url = https://mirror/simple\n", "index-url = https://me:pw@mirror/simple\n"},
		{".config/uv/uv.toml", "index-url = \"https://mirror/simple\"\n", "index-url = \"https://me:pw@mirror/simple\"\n"},
		{".curlrc", "silent\n", "user = me:pw\n"},
		{".gradle/gradle.properties", "org.gradle.caching=true\n", "ossrhPassword=x\n"},
		{".m2/settings.xml", "<mirrors/>", "<server><password>x</password></server>"},
		{".npmrc", "save-exact=true\n", "//registry.npmjs.org/:_authToken=x\n"},
		{".nuget/NuGet/NuGet.Config", "<packageSources/>", "<Password>x"},
		{".pip/pip.conf", "[global]\n", "extra-index-url = https://t@host\n"},
		{".terraformrc", "plugin_cache_dir = \"x\"\n", "credentials \"app.terraform.io\" {\n token = \"x\"\n}\n"},
		{".wgetrc", "tries = 3\n", "password = x\n"},
		{".yarnrc.yml", "nodeLinker: pnp\n", "npmAuthToken: x\n"},
	} {
		p := house(t, fence.Namespaces)
		at := filepath.Join(p.Home, tt.path)
		write(t, p.Home, tt.path, tt.harmless)
		if slices.Contains(p.Policy(proc.Judge).Hide, at) {
			t.Errorf("%s is hidden for %q", tt.path, tt.harmless)
		}
		write(t, p.Home, tt.path, tt.secret)
		if !slices.Contains(p.Policy(proc.Judge).Hide, at) {
			t.Errorf("%s is not hidden for %q", tt.path, tt.secret)
		}
	}
	if len(settings) != 15 {
		t.Errorf("%d settings, and 15 are tried", len(settings))
	}
}

func TestAnUnreadableSettingsFileIsNotWaitedFor(t *testing.T) {
	p := house(t, fence.Namespaces, ".npmrc/")
	if slices.Contains(p.Policy(proc.Judge).Hide, filepath.Join(p.Home, ".npmrc")) {
		t.Error("a folder is taken for settings with a token")
	}
}

func TestSecretsInCachesAreHidden(t *testing.T) {
	for _, path := range []string{
		".cache/huggingface/token", ".cargo/credentials.toml", ".composer/auth.json", ".conan2/.conan.db", ".hex/hex.config", ".ivy2/.credentials", ".local/share/uv/credentials/credentials.toml", ".pub-cache/credentials.json",
		".sbt/.credentials", ".stack/upload/credentials.json",
	} {
		for _, kind := range kinds {
			p := house(t, kind, path)
			for role := range roleNames {
				if got := may(p.Policy(role), filepath.Join(p.Home, path)); got != "hide" {
					t.Errorf("%s, %s of %s: %s", kind, path, roleNames[role], got)
				}
			}
		}
	}
}

func TestSecretsThatVariablesName(t *testing.T) {
	p := house(t, fence.Namespaces, "keys/aws", "keys/a", "keys/b", "cargo/credentials.toml", "src/p/key.json", "docker/config.json")
	at := func(path string) string { return filepath.Join(p.Home, path) }
	env := map[string]string{
		"AWS_SHARED_CREDENTIALS_FILE": at("keys/aws"), "KUBECONFIG": at("keys/a") + string(filepath.ListSeparator) + at("keys/b"), "CARGO_HOME": at("cargo"), "DOCKER_CONFIG": at("docker"),
		"GOOGLE_APPLICATION_CREDENTIALS": at("src/p/key.json"), // which the agent may read: it is in the work tree
		"GH_CONFIG_DIR":                  p.Home,               // a mistake, and no reason to hide everything
		"NETRC":                          "relative",
	}
	p.Getenv = func(name string) string { return env[name] }
	policy := p.Policy(proc.Agent)
	for path, want := range map[string]string{
		"keys/aws": "hide", "keys/a": "hide", "keys/b": "hide", "cargo/credentials.toml": "hide", "docker/config.json": "hide", "src/p/key.json": "write", "other": "read",
	} {
		if got := may(policy, at(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	p.Allow = []string{"docker"}
	if got := may(p.Policy(proc.Agent), at("docker/config.json")); got != "read" {
		t.Errorf("with docker allowed: %s", got)
	}
}

func TestListsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	try := func(path string) {
		t.Helper()
		if path == "" || filepath.Clean(path) != path || !filepath.IsLocal(path) || seen[path] {
			t.Errorf("%q is not a clean path below the home folder, or is there twice", path)
		}
		seen[path] = true
	}
	for _, path := range secrets {
		try(path)
	}
	for _, s := range settings {
		try(s.path)
	}
	for _, tool := range tools {
		if tool.folder == "" && tool.variable == "" || len(tool.caches) == 0 && !tool.own {
			t.Errorf("%+v says nothing", tool)
		}
		if seen[tool.folder] {
			t.Errorf("%q is hidden as a whole", tool.folder)
		}
	}
}
