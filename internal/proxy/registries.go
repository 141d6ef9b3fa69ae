package proxy

import (
	"path"
	"slices"
)

// registry is where the packages of a language come from.
type registry struct {
	files []string // patterns of the names by which the language is known
	hosts []string
}

// Where each is from: the default of the tool, and what that sends on to. Code
// hosts are not among them: whoever can push there can send everything away.
var registries = []registry{
	{ // JavaScript: npm, pnpm, bun; yarn has a name of its own for the same
		[]string{"package.json"},
		[]string{"registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com"},
	},
	{
		[]string{"deno.json", "deno.jsonc", "deno.lock"},
		[]string{"deno.land", "jsr.io", "npm.jsr.io", "registry.npmjs.org"},
	},
	{
		[]string{"go.mod", "go.work"},
		[]string{"proxy.golang.org", "sum.golang.org"},
	},
	{
		[]string{"pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "Pipfile", "uv.lock", "poetry.lock", "environment.yml"},
		[]string{"pypi.org", "files.pythonhosted.org"},
	},
	{
		[]string{"environment.yml", "environment.yaml", "pixi.toml"},
		[]string{"conda.anaconda.org", "repo.anaconda.com"},
	},
	{
		[]string{"Cargo.toml"},
		[]string{"crates.io", "index.crates.io", "static.crates.io"},
	},
	{
		[]string{"rust-toolchain", "rust-toolchain.toml"},
		[]string{"static.rust-lang.org"},
	},
	{
		[]string{"pom.xml", "mvnw"},
		[]string{"repo.maven.apache.org", "repo1.maven.org"},
	},
	{ // also Kotlin and Android
		[]string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew"},
		[]string{"repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "plugins-artifacts.gradle.org", "services.gradle.org", "downloads.gradle.org", "dl.google.com", "maven.google.com"},
	},
	{
		[]string{"build.sbt"},
		[]string{"repo.maven.apache.org", "repo1.maven.org", "repo.scala-sbt.org", "repo.typesafe.com"},
	},
	{
		[]string{"project.clj", "deps.edn"},
		[]string{"repo1.maven.org", "repo.maven.apache.org", "repo.clojars.org"},
	},
	{
		[]string{"Gemfile", "*.gemspec"},
		[]string{"rubygems.org", "index.rubygems.org"},
	},
	{
		[]string{"composer.json"},
		[]string{"packagist.org", "repo.packagist.org"},
	},
	{
		[]string{"*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx", "packages.config"},
		[]string{"api.nuget.org", "www.nuget.org"},
	},
	{
		[]string{"mix.exs", "rebar.config", "gleam.toml"},
		[]string{"hex.pm", "repo.hex.pm", "builds.hex.pm"},
	},
	{
		[]string{"pubspec.yaml"},
		[]string{"pub.dev"},
	},
	{
		[]string{"*.cabal", "cabal.project", "stack.yaml"},
		[]string{"hackage.haskell.org"},
	},
	{
		[]string{"cpanfile", "Makefile.PL", "Build.PL"},
		[]string{"www.cpan.org", "cpan.metacpan.org", "fastapi.metacpan.org"},
	},
	{
		[]string{"renv.lock", "DESCRIPTION"},
		[]string{"cran.r-project.org", "cloud.r-project.org"},
	},
}

// Registries is the hosts that serve packages for the languages of a work tree,
// sorted. It is given the names of its files, with or without their folders.
func Registries(files []string) []string {
	var hosts []string
	for _, r := range registries {
		if slices.ContainsFunc(files, r.knows) {
			hosts = append(hosts, r.hosts...)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

func (r registry) knows(file string) bool {
	return slices.ContainsFunc(r.files, func(pattern string) bool {
		ok, err := path.Match(pattern, path.Base(file))
		return ok && err == nil
	})
}
