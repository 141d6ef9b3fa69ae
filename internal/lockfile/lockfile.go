// Package lockfile knows which command installs what a lockfile names. It looks at
// names alone, and runs nothing.
package lockfile

import (
	"slices"
	"strings"
)

// installer is a command that installs what a lockfile names.
type installer struct {
	ecosystem string
	lockfile  string
	beside    string // a file that must be there too; empty is none
	command   string
}

// installers are looked at in this order, and the first of an ecosystem counts:
// a package-lock.json beside another lockfile mostly came about by mistake. The
// tools of Go, Rust, Maven and Gradle install on their own.
var installers = []installer{
	{"javascript", "pnpm-lock.yaml", "", "pnpm install --frozen-lockfile"},
	{"javascript", "yarn.lock", ".yarnrc.yml", "yarn install --immutable"}, // version 2 and later
	{"javascript", "yarn.lock", "", "yarn install --frozen-lockfile"},
	{"javascript", "bun.lock", "", "bun install --frozen-lockfile"},
	{"javascript", "bun.lockb", "", "bun install --frozen-lockfile"},
	{"javascript", "package-lock.json", "", "npm ci"},
	{"javascript", "npm-shrinkwrap.json", "", "npm ci"},
	{"javascript", "deno.lock", "", "deno install --frozen"},
	{"python", "uv.lock", "", "uv sync --frozen"},
	{"python", "poetry.lock", "", "poetry install --no-interaction"},
	{"python", "Pipfile.lock", "", "pipenv sync --dev"},
	{"ruby", "Gemfile.lock", "", "bundle install"},
	{"php", "composer.lock", "", "composer install --no-interaction"},
	{"elixir", "mix.lock", "", "mix deps.get"},
	{"dotnet", "packages.lock.json", "", "dotnet restore --locked-mode"},
}

// Install guesses from the lockfiles that a folder has which command installs
// what a checkout of it needs, and names them. Both are empty when nothing is
// needed, or nobody can tell.
func Install(has func(name string) bool) (command string, lockfiles []string) {
	var commands, served []string
	for _, i := range installers {
		if slices.Contains(served, i.ecosystem) || !has(i.lockfile) || i.beside != "" && !has(i.beside) {
			continue
		}
		served = append(served, i.ecosystem)
		commands = append(commands, i.command)
		lockfiles = append(lockfiles, i.lockfile)
	}
	return strings.Join(commands, " && "), lockfiles
}

// Is tells whether a file's name is that of a lockfile.
func Is(name string) bool {
	return slices.ContainsFunc(installers, func(i installer) bool { return i.lockfile == name })
}
