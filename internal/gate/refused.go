package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// complaints are what programs print of what a sandbox refuses, and the opening
// that lets them have it; empty: the path that the line names.
var complaints = []struct{ said, opening string }{
	{"docker.sock", "docker"},
	{"docker daemon", "docker"},
	{"podman.sock", "docker"},
	{"cannot open display", "display"},
	{"unable to open display", "display"},
	{"missing x server", "display"},
	{"dbus", "dbus"},
	{"d-bus", "dbus"},
	{"permission denied (publickey", "ssh"},
	{"could not open a connection to your authentication agent", "ssh"},
	{"gpg: ", "gpg"},
	{"hosts that the sandbox may reach", hosts},
	{"connect tunnel failed", hosts},
	{"read-only file system", ""},
	{"erofs", ""},
	{"permission denied", ""},
	{"permissionerror", ""},
	{"eacces", ""},
	{"eperm", ""},
	{"operation not permitted", ""},
}

// hosts is what lets somebody reach the network, which is another setting.
const hosts = "hosts"

// maxComplaint is how long a line may be in a sentence.
const maxComplaint = 200

// Refused is the last line of what a gate printed for which a sandbox may be to
// blame, and what to do about it.
func Refused(tail string) (line, hint string) {
	lines := strings.Split(tail, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		low := strings.ToLower(lines[i])
		for _, c := range complaints {
			if strings.Contains(low, c.said) {
				return text.Shorten(text.Line(lines[i]), maxComplaint), allow(c.opening, lines[i])
			}
		}
	}
	return "", "allow what it needs with sandbox.allow, or with sandbox.hosts if sandbox.network is listed, or do without with --sandbox none"
}

// allow says how to let through what a line complains of.
func allow(opening, line string) string {
	switch opening {
	case hosts:
		return "allow it with sandbox.hosts, or do without with sandbox.network = \"open\""
	case "":
		home, _ := os.UserHomeDir() // without one there is nothing to spare
		path := pathIn(line, home)
		if path == "" {
			path = "PATH"
		}
		return fmt.Sprintf("allow it with sandbox.allow = [%q], or do without with --sandbox none", path)
	case "docker", "dbus", "display":
		return fmt.Sprintf("allow it with sandbox.allow = [%q] (who reaches %s can reach everything), or do without with --sandbox none", opening, opening)
	}
	return fmt.Sprintf("allow it with sandbox.allow = [%q], or do without with --sandbox none", opening)
}

// pathIn is what to allow for the first whole path that a line names: the folder in
// which something is to be made, but never one that the home folder is in: what is
// there acts later. Empty: it names none.
func pathIn(line, home string) string {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t'\"`:,;()[]<>=", r) }) {
		if !filepath.IsAbs(word) || strings.Count(word, "/") < 2 {
			continue
		}
		path := filepath.Clean(word)
		if holdsHome(path, home) {
			continue
		}
		if dir := filepath.Dir(path); !holdsHome(dir, home) {
			return dir
		}
		return path
	}
	return ""
}

// holdsHome tells whether a folder is the home folder, or above it.
func holdsHome(dir, home string) bool {
	_, above := files.Under(dir, home)
	return above && home != ""
}
