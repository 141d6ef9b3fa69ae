package sandbox

import (
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/fence"
)

// tool is a folder in which a tool keeps what builds share. What one build leaves
// there the next one takes, so what is shared is no more than what can be fetched
// again. Programs that people call, and settings that act on every build, may be
// changed only where the change stays in the project.
type tool struct {
	variable string   // that names the folder; empty: there is none
	folder   string   // else, below the home folder; empty: there is none
	caches   []string // below it, what can be fetched again
	own      bool     // the rest of it may be changed, too, where that is seen by the project alone
	secrets  []string // below it
}

// all is all of a folder.
var all = []string{"."}

// tools are those that ordinary work needs, beside what is in the folder of caches.
var tools = []tool{
	{variable: "BUN_INSTALL", folder: ".bun", caches: []string{"install/cache"}, own: true},
	{variable: "BUN_INSTALL_CACHE_DIR", caches: all},
	{variable: "BUNDLE_USER_HOME", folder: ".bundle", caches: []string{"cache"}, own: true},
	{variable: "CABAL_DIR", folder: ".cabal", caches: []string{"logs", "packages", "store"}, own: true},
	{variable: "CARGO_HOME", folder: ".cargo", caches: []string{"git", "registry"}, own: true, secrets: []string{"credentials", "credentials.toml"}},
	{variable: "CCACHE_DIR", folder: ".ccache", caches: all},
	{variable: "COMPOSER_CACHE_DIR", caches: all},
	{variable: "COMPOSER_HOME", folder: ".composer", caches: []string{"cache"}, secrets: []string{"auth.json"}},
	{variable: "CONAN_HOME", folder: ".conan2", caches: []string{"p"}, own: true, secrets: []string{".conan.db", "credentials.json"}},
	{variable: "CONDA_PKGS_DIRS", folder: ".conda/pkgs", caches: all},
	{variable: "COURSIER_CACHE", folder: ".coursier", caches: all},
	{variable: "DENO_DIR", caches: all},
	{variable: "DENO_INSTALL", folder: ".deno", own: true},
	{variable: "GOCACHE", caches: all},
	{variable: "GOLANGCI_LINT_CACHE", caches: all},
	{variable: "GOMODCACHE", caches: all},
	{variable: "GOPATH", folder: "go", caches: []string{"pkg"}}, // the work tree may be in it
	{variable: "GRADLE_USER_HOME", folder: ".gradle", caches: []string{".tmp", "caches", "daemon", "jdks", "native", "notifications", "workers", "wrapper"}, own: true},
	{variable: "HEX_HOME", folder: ".hex", caches: all, secrets: []string{"hex.config"}},
	{variable: "HF_HOME", caches: all, secrets: []string{"stored_tokens", "token"}},
	{variable: "JULIA_DEPOT_PATH", folder: ".julia", caches: []string{"artifacts", "clones", "compiled", "logs", "packages", "registries", "scratchspaces"}, own: true, secrets: []string{"servers"}},
	{variable: "KONAN_DATA_DIR", folder: ".konan", caches: all},
	{variable: "MIX_HOME", folder: ".mix", own: true},
	{variable: "NPM_CONFIG_CACHE", caches: all},
	{variable: "NUGET_PACKAGES", caches: all},
	{variable: "PIP_CACHE_DIR", caches: all},
	{variable: "PLAYWRIGHT_BROWSERS_PATH", caches: all},
	{variable: "PNPM_HOME", folder: ".local/share/pnpm", caches: []string{"store"}, own: true},
	{variable: "POETRY_CACHE_DIR", caches: all},
	{variable: "PRE_COMMIT_HOME", caches: all},
	{variable: "PUB_CACHE", folder: ".pub-cache", caches: []string{"_temp", "git", "hosted", "hosted-hashes", "log"}, own: true, secrets: []string{"credentials.json"}},
	{variable: "PYENV_ROOT", folder: ".pyenv", own: true},
	{variable: "RUSTUP_HOME", folder: ".rustup", own: true},
	{variable: "SCCACHE_DIR", caches: all},
	{variable: "STACK_ROOT", folder: ".stack", caches: all, secrets: []string{"upload"}},
	{variable: "TF_PLUGIN_CACHE_DIR", folder: ".terraform.d/plugin-cache", caches: all},
	{variable: "UV_CACHE_DIR", caches: all},
	{variable: "WORKON_HOME", folder: ".local/share/virtualenvs", caches: all},
	{variable: "XDG_CACHE_HOME", caches: all},
	{variable: "YARN_CACHE_FOLDER", caches: all},
	{variable: "YARN_GLOBAL_FOLDER", folder: ".yarn/berry", caches: all},
	{variable: "npm_config_cache", folder: ".npm", caches: all},
	{variable: "npm_config_store_dir", folder: ".pnpm-store", caches: all},
	{folder: ".dotnet", caches: []string{"TelemetryStorageService", "toolResolverCache"}, own: true},
	{folder: ".gem", caches: []string{"specs"}, own: true},
	{folder: ".ivy2", caches: all, secrets: []string{".credentials"}},
	{folder: ".local/share/NuGet", caches: all},
	{folder: ".local/share/gem", caches: []string{"specs"}, own: true},
	{folder: ".local/share/uv", caches: []string{"python"}, own: true, secrets: []string{"credentials"}},
	{folder: ".local/share/virtualenv", caches: all},
	{folder: ".local/state/cabal", caches: all},
	{folder: ".m2", caches: []string{"build-cache", "repository", "wrapper"}},
	{folder: ".node-gyp", caches: all},
	{folder: ".nuget", caches: []string{"packages"}, own: true},
	{folder: ".nvm", own: true},
	{folder: ".sbt", caches: all, secrets: []string{".credentials", "credentials"}},
	{folder: ".sdkman", own: true},
	{folder: ".volta", own: true},
	{folder: ".yarn", caches: []string{"berry", "cache"}, own: true},
}

// at is where the folder of a tool is; empty: nobody knows of any.
func (p Place) at(t tool) string {
	if t.variable != "" {
		if path := p.Getenv(t.variable); filepath.IsAbs(path) && p.apart(path) {
			return filepath.Clean(path)
		}
	}
	if t.folder == "" {
		return ""
	}
	return filepath.Join(p.Home, t.folder)
}

// cached is what of a tool's folder may be changed.
func (p Place) cached(t tool) []string {
	if t.own && p.Kind == fence.Namespaces { // each project has a copy
		return all
	}
	return t.caches
}

// caches is what builds share and what is written of it.
func (p Place) caches() []string {
	list := []string{p.Cache}
	for _, t := range tools {
		if folder := p.at(t); folder != "" {
			for _, path := range p.cached(t) {
				list = append(list, filepath.Join(folder, path))
			}
		}
	}
	return list
}

// unmade are the caches that tools would make in folders of theirs that are there
// and may not be written themselves.
func (p Place) unmade() []string {
	var list []string
	for _, t := range tools {
		folder := p.at(t)
		if folder == "" || !isThere(folder) || slices.Equal(p.cached(t), all) {
			continue
		}
		for _, path := range p.cached(t) {
			list = append(list, filepath.Join(folder, path))
		}
	}
	return list
}
