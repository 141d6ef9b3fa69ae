package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Image is what containers are made of, where a sandbox is made of them.
type Image struct {
	Name    string
	Options []string // more of the engine's own
	Prompts string   // where files with prompts are, which agents may be told to read
}

// Box is the container of a role: what may be written, over a home folder of the
// project's own, and nothing else of this machine. What mounts need is made.
func Box(p Place, role proc.Role, image Image) (container.Box, error) {
	home, empty := filepath.Join(p.upperOf(role), "home"), filepath.Join(p.Temp, "empty")
	for _, dir := range []string{home, empty} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return container.Box{}, fmt.Errorf("make a folder for the sandbox: %w", err)
		}
	}
	b := container.Box{
		Image: image.Name, Role: roleNames[role], Dir: p.Tree, Home: p.Home, UID: os.Getuid(), GID: os.Getgid(), Options: image.Options,
		Mounts: []container.Mount{{From: home, To: p.Home}, {From: p.TempOf(role), To: "/tmp"}},
	}
	add := func(readOnly bool, paths ...string) {
		for _, path := range present(paths) {
			b.Mounts = append(b.Mounts, container.Mount{From: path, To: path, ReadOnly: readOnly})
		}
	}
	policy := p.Policy(role)
	add(true, settingsOfGit(p)...)
	switch role {
	case proc.Agent:
		add(true, image.Prompts)
	case proc.Reviewer:
		add(true, append(p.tree(), p.Proof, p.Said)...)
	}
	for _, name := range p.allowed(role) {
		for _, secret := range openings[name].secrets {
			add(true, filepath.Join(p.Home, secret))
		}
	}
	add(false, policy.Write...)
	add(false, slices.DeleteFunc(policy.Sockets, func(s string) bool { return slices.Contains(resolvers, s) })...)
	add(true, policy.Keep...)
	for _, path := range policy.Hide {
		if m, ok := around(b.Mounts, path); ok && m.To != p.Home && m.To != "/tmp" {
			b.Mounts = append(b.Mounts, container.Mount{From: cover(path, empty), To: path, ReadOnly: true})
		}
	}
	return b, makePoints(b.Mounts)
}

// settingsOfGit is what git reads of the user's own.
func settingsOfGit(p Place) []string {
	list := []string{p.Getenv("GIT_CONFIG_GLOBAL")}
	for _, name := range []string{".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"} {
		list = append(list, filepath.Join(p.Home, name))
	}
	return list
}

// around is the innermost mount that a path is below.
func around(mounts []container.Mount, path string) (found container.Mount, ok bool) {
	for _, m := range mounts {
		if strings.HasPrefix(path, strings.TrimSuffix(m.To, "/")+"/") && len(m.To) >= len(found.To) {
			found, ok = m, true
		}
	}
	return found, ok
}

// cover is what is seen in the place of something hidden.
func cover(path, empty string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return empty
	}
	return os.DevNull
}

// passing is what a process in a container gets of the runner's environment: what
// means the same there. The rest tells of programs and folders of this machine.
var passing = []string{
	"LANG", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR*", "CI", "COLUMNS", "LINES", "SOURCE_DATE_EPOCH",
	"REFRAIN_*", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_CONFIG_*", "GIT_TERMINAL_PROMPT", "*_PROXY", "*_proxy",
}

// Inside is the environment of a process in a container: what was set for it, and of
// what it inherits from the host what means the same there.
func Inside(p Place, role proc.Role, env, host, pass []string) []string {
	names := slices.Concat(passing, pass)
	for _, name := range pass { // with the key of a provider goes where to find it
		if vendor, _, ok := strings.Cut(name, "_"); ok && vendor != "" {
			names = append(names, vendor+"_*")
		}
	}
	for _, name := range p.allowed(role) {
		names = append(names, openings[name].variables...)
	}
	return slices.DeleteFunc(p.Environ(role, env, pass), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(host, kv) && !matches(name, names)
	})
}
