package proxy

import (
	"slices"
	"strings"
	"testing"
)

func TestRegistries(t *testing.T) {
	tests := []struct{ files, want string }{
		{"", ""},
		{"README.md main.c", ""},
		{"web/package.json", "registry.npmjs.org registry.yarnpkg.com repo.yarnpkg.com"},
		{"go.mod", "proxy.golang.org sum.golang.org"},
		{"go.mod tools/go.mod", "proxy.golang.org sum.golang.org"},
		{"pyproject.toml", "files.pythonhosted.org pypi.org"},
		{"requirements-dev.txt", "files.pythonhosted.org pypi.org"},
		{"crates/a/Cargo.toml", "crates.io index.crates.io static.crates.io"},
		{"pom.xml", "repo.maven.apache.org repo1.maven.org"},
		{"Gemfile", "index.rubygems.org rubygems.org"},
		{"composer.json", "packagist.org repo.packagist.org"},
		{"src/App/App.csproj", "api.nuget.org www.nuget.org"},
		{"go.mod Cargo.toml", "crates.io index.crates.io proxy.golang.org static.crates.io sum.golang.org"},
		{"my-package.json package.json.bak", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(Registries(strings.Fields(tt.files)), " "); got != tt.want {
			t.Errorf("Registries(%q) = %q, want %q", tt.files, got, tt.want)
		}
	}
	for _, file := range []string{"deno.json", "build.gradle.kts"} {
		if got := Registries([]string{file}); len(got) < 3 {
			t.Errorf("Registries(%s) = %q", file, got)
		}
	}
}

// Every line of the table is one that the proxy takes, and can be met.
func TestRegistriesAreHosts(t *testing.T) {
	for _, r := range registries {
		for _, host := range r.hosts {
			if e, err := parseEntry(host); err != nil || e.String() != host+":0" {
				t.Errorf("%s: %v, %v", host, e, err)
			}
		}
		for _, pattern := range r.files {
			file := strings.ReplaceAll(pattern, "*", "")
			if got := Registries([]string{"a/" + file}); !slices.Contains(got, r.hosts[0]) {
				t.Errorf("Registries(%s) = %q", file, got)
			}
		}
	}
}
