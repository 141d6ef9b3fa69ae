package container

import (
	"path"
	"slices"
	"strings"
)

// clients are the variables by which a client finds its engine. They stay as they
// are outside, whatever the process inside is to have.
var clients = []string{"PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "XDG_*", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_*", "CONTAINER_*", "CONTAINERS_*", "SSH_*", "LD_*"}

// open are those of them whose value is no secret.
var open = []string{"PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "XDG_*"}

// split gives the environment of a client, and the variables that it is to hand on:
// names alone, but for those that have another value outside.
func split(host, inside []string) (client, handed []string) {
	values := map[string]string{}
	for _, kv := range host {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	client = slices.Clone(host)
	for i, kv := range inside {
		name, value, _ := strings.Cut(kv, "=")
		if name == "" || strings.ContainsAny(name, " \t\n") || given(inside[i+1:], name) { // the last one counts
			continue
		}
		outside, there := values[name]
		switch {
		case there && outside == value:
			handed = append(handed, name)
		case !matches(name, clients):
			client, handed = append(client, kv), append(handed, name)
		case matches(name, open):
			handed = append(handed, kv)
		}
	}
	slices.Sort(handed)
	return client, handed
}

func given(env []string, name string) bool {
	return slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}
