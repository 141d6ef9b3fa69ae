package gate

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/lockfile"
)

// Setup guesses from the lockfiles in a folder which command installs what a
// checkout of it needs, and names them. Both are empty when nothing is needed,
// or nobody can tell.
func Setup(dir string) (command, lockfiles string) {
	command, names := lockfile.Install(func(name string) bool { return isFile(dir, name) })
	return command, strings.Join(names, ", ")
}

func isFile(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// Locks tells whether a file says which versions are installed.
func Locks(path string) bool {
	name := filepath.Base(filepath.FromSlash(path))
	switch name {
	case "go.sum", "Cargo.lock", "Pipfile", "Gemfile", "mix.exs", "setup.py":
		return true
	}
	return strings.HasPrefix(name, "requirements") && strings.HasSuffix(name, ".txt") ||
		lockfile.Is(name)
}

// manifests are the files beside lockfiles that say what is installed.
var manifests = []string{"package.json", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "Gemfile", "composer.json", "mix.exs"}

// Manifests gives those that a folder has.
func Manifests(dir string) []string {
	var found []string
	for _, name := range manifests {
		if isFile(dir, name) {
			found = append(found, name)
		}
	}
	more, _ := filepath.Glob(filepath.Join(dir, "requirements*.txt")) // the pattern is a good one
	for _, path := range more {
		if name := filepath.Base(path); isFile(dir, name) {
			found = append(found, name)
		}
	}
	return found
}

// installKeys are what an install reads of a package.json.
var installKeys = []string{
	"dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta",
	"bundleDependencies", "bundledDependencies", "overrides", "resolutions", "packageManager", "engines", "pnpm",
}

// installScripts run while packages are installed.
var installScripts = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "dependencies"}

// maxLocked is more than any lockfile has.
const maxLocked = 64 << 20

// Installed is what an install reads of a lockfile or manifest. Whole is false
// when it reads more than that: other packages of the same tree, or whatever a
// script wants; and when it cannot be read.
func Installed(dir, name string) (content []byte, whole bool) {
	content, err := files.ReadFile(context.Background(), filepath.Join(dir, name), maxLocked)
	if name != "package.json" || err != nil {
		return content, err == nil
	}
	var pkg map[string]json.RawMessage
	var scripts map[string]string
	if json.Unmarshal(content, &pkg) != nil || pkg["workspaces"] != nil {
		return content, false
	}
	if pkg["scripts"] != nil && json.Unmarshal(pkg["scripts"], &scripts) != nil {
		return content, false
	}
	for _, script := range installScripts {
		if scripts[script] != "" {
			return content, false
		}
	}
	content = nil
	for _, key := range installKeys {
		content = append(content, key+"\x00"+string(pkg[key])+"\x00"...)
	}
	return content, true
}

// dependencyFolders are where tools put what they install in a project.
var dependencyFolders = []string{
	"node_modules", ".venv", "venv", "vendor/bundle", "vendor", "deps", "Pods", "elm-stuff",
}

// DependencyFolders are where tools put what they install in a project.
func DependencyFolders() []string { return slices.Clone(dependencyFolders) }

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
