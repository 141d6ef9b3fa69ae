package gate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
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

// Setup guesses from the lockfiles in a folder which command installs what a
// checkout of it needs, and names them. Both are empty when nothing is needed,
// or nobody can tell.
func Setup(dir string) (command, lockfile string) {
	var commands, lockfiles, served []string
	for _, i := range installers {
		if slices.Contains(served, i.ecosystem) || !isFile(dir, i.lockfile) || i.beside != "" && !isFile(dir, i.beside) {
			continue
		}
		served = append(served, i.ecosystem)
		commands = append(commands, i.command)
		lockfiles = append(lockfiles, i.lockfile)
	}
	return strings.Join(commands, " && "), strings.Join(lockfiles, ", ")
}

func isFile(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// dependencyFolders are where tools put what they install in a project.
var dependencyFolders = []string{
	"node_modules", ".venv", "venv", "vendor/bundle", "vendor", "deps", "Pods", "elm-stuff",
}

// Dependencies gives the usual folders of installed dependencies that exist in
// a folder, with slashes. Some may be part of the project, and one may hold
// another: whoever copies them asks git which of them it ignores.
func Dependencies(dir string) []string {
	var found []string
	for _, name := range dependencyFolders {
		// A link is not followed: a copy of it would lead to the same files.
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && info.IsDir() {
			found = append(found, name)
		}
	}
	return found
}

// RunSetup runs the command that sets up a place. It is judged by how it ended
// alone.
func RunSetup(ctx context.Context, command string, p Place, timeout time.Duration) Result {
	r, out := run(ctx, p, "setup", command, timeout)
	if !r.OK {
		r.Telling = out.telling()
	}
	return r
}
