package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/proc"
)

// opening is something outside that can be let in by its name.
type opening struct {
	sockets   func(Place) []string
	secrets   []string // below the home folder, which are not hidden then
	write     []string // of these
	variables []string // which pass
	// escapes says that who reaches it reaches everything.
	escapes bool
}

// openings are all of them. Whoever talks to docker, to D-Bus or to a display can
// have others do what is refused here.
var openings = map[string]opening{
	"docker": {
		escapes: true, secrets: []string{".docker/config.json"}, variables: []string{"DOCKER_*", "CONTAINER_HOST"},
		sockets: func(p Place) []string {
			list := []string{"/run/docker.sock", "/var/run/docker.sock", "/run/podman", filepath.Join(runtimeDir(p), "docker.sock"), filepath.Join(runtimeDir(p), "podman"), filepath.Join(p.Home, ".docker/run")}
			return append(list, socketOf(p.Getenv("DOCKER_HOST"))...)
		},
	},
	"ssh": {
		secrets: []string{".ssh"}, variables: []string{"SSH_*"},
		sockets: func(p Place) []string { return []string{p.Getenv("SSH_AUTH_SOCK")} },
	},
	"gpg": {
		secrets: []string{".gnupg"}, write: []string{".gnupg"}, variables: []string{"GPG_*", "GNUPGHOME"},
		sockets: func(p Place) []string {
			return []string{filepath.Join(p.Home, ".gnupg"), filepath.Join(runtimeDir(p), "gnupg"), p.Getenv("GNUPGHOME")}
		},
	},
	"dbus": {
		escapes: true, variables: []string{"DBUS_*", "XDG_RUNTIME_DIR"},
		sockets: func(p Place) []string {
			list := []string{"/run/dbus", "/var/run/dbus", filepath.Join(runtimeDir(p), "bus")}
			return append(list, socketOf(strings.Replace(p.Getenv("DBUS_SESSION_BUS_ADDRESS"), "path=", "//", 1))...)
		},
	},
	"display": {
		escapes: true, variables: []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"},
		sockets: func(p Place) []string {
			list := []string{"/tmp/.X11-unix"}
			if name := p.Getenv("WAYLAND_DISPLAY"); name != "" {
				list = append(list, filepath.Join(runtimeDir(p), filepath.Base(name)))
			}
			return list
		},
	},
}

// OpeningOf is the name by which a socket can be let in; empty: only by its path.
func (p Place) OpeningOf(socket string) string {
	for _, name := range slices.Sorted(maps.Keys(openings)) {
		for _, path := range openings[name].sockets(p) {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			if _, below := files.Under(path, socket); filepath.IsAbs(path) && below {
				return name
			}
		}
	}
	return ""
}

// homeOpen is what is open where all of the home folder can be changed: what is in it
// acts at the next login.
const homeOpen = "home"

// Escapes are those of the allowed that lead out of any sandbox, by whatever path they
// are allowed.
func (p Place) Escapes() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, one := range p.Allow {
		o, named := openings[one]
		if named {
			if o.escapes {
				add(one)
			}
			continue
		}
		path := resolved(p.expand(one))
		if p.Home != "" && isAbove(path, resolved(p.Home)) {
			add(homeOpen)
		}
		for _, name := range slices.Sorted(maps.Keys(openings)) {
			if openings[name].escapes && slices.ContainsFunc(openings[name].sockets(p), func(socket string) bool { return opens(path, socket) }) {
				add(name)
			}
		}
	}
	return names
}

// opens tells whether who is let in to a path reaches a socket, or a folder of such,
// that is there.
func opens(path, socket string) bool {
	if !filepath.IsAbs(socket) || !isThere(socket) {
		return false
	}
	socket = resolved(socket)
	return isAbove(path, socket) || isAbove(socket, path)
}

// isAbove tells whether a path is a folder above another, or the same.
func isAbove(dir, path string) bool {
	_, ok := files.Under(dir, path)
	return ok
}

// resolved is a path with links followed, as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// runtimeDir is the folder of the user's sockets.
func runtimeDir(p Place) string {
	if dir := p.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return fmt.Sprintf("/run/user/%d", os.Getuid())
}

// socketOf is the path in an address such as unix:///run/docker.sock.
func socketOf(address string) []string {
	rest, ok := strings.CutPrefix(address, "unix:")
	if !ok {
		return nil
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), ",")
	return []string{path}
}

// allowed is what a role is let in to.
func (p Place) allowed(role proc.Role) []string {
	if role == proc.Committer && p.Signs != "" {
		return append(slices.Clip(p.Allow), p.Signs)
	}
	return p.Allow
}

// open lets in what is allowed.
func (p Place) open(role proc.Role, policy *fence.Policy, hidden *[]string) {
	for _, path := range shown {
		policy.Show = append(policy.Show, filepath.Join(p.Home, path))
	}
	for _, one := range p.allowed(role) {
		o, named := openings[one]
		if !named {
			path := p.expand(one)
			if p.State != "" && isAbove(p.State, resolved(path)) {
				continue // nobody inside changes our own records
			}
			if p.State != "" && isAbove(resolved(path), p.State) {
				policy.Keep = append(policy.Keep, p.State)
			}
			policy.Write = append(policy.Write, path)
			policy.Sockets = append(slices.Clip(policy.Sockets), path)
			*hidden = slices.DeleteFunc(*hidden, func(h string) bool { return h == path })
			continue
		}
		policy.Sockets = append(slices.Clip(policy.Sockets), o.sockets(p)...)
		for _, path := range o.write {
			policy.Write = append(policy.Write, filepath.Join(p.Home, path))
		}
		var opened []string
		for _, path := range o.secrets {
			opened = append(opened, filepath.Join(p.Home, path))
		}
		for _, name := range telling {
			if matches(name, o.variables) {
				opened = append(opened, p.namedBy(name)...)
			}
		}
		*hidden = slices.DeleteFunc(*hidden, func(h string) bool { return slices.Contains(opened, h) })
	}
}

// expand is a path of the settings, where ~ is the home folder.
func (p Place) expand(path string) string {
	if path == "~" {
		return p.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(p.Home, rest)
	}
	return filepath.Clean(path)
}

// Missing are the allowed paths that are not there, and so can not be let in.
func Missing(allow []string) []string {
	home, _ := os.UserHomeDir() // without one nothing lies below it
	var list []string
	for _, one := range allow {
		if _, named := openings[one]; !named && !isThere(Place{Home: home}.expand(one)) {
			list = append(list, one)
		}
	}
	return list
}
