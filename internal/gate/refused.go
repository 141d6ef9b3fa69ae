package gate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	{"no such file or directory", hidden},
	{"enoent", hidden},
	{"filenotfounderror", hidden},
	{"device or resource busy", gitConfig},
	{"bad system call", calls},
}

// What is no path, and has no name among the openings.
const (
	hosts     = "hosts"  // which is another setting
	hidden    = "hidden" // what is hidden is not there in namespaces
	gitConfig = "git config"
	calls     = "calls"
)

// unset are words for a variable that is not there.
var unset = []string{"not set", "unset", "unbound variable", "not defined", "undefined", "missing", "required", "must be set", "must set", "keyerror", "no value"}

var variable = text.NewPattern(`\b[A-Z][A-Z0-9_]{2,}\b`)

// maxComplaint is how long a line may be in a sentence.
const maxComplaint = 200

// Refused is the last line of what a gate printed for which a sandbox may be to
// blame, and what to do about it. One that says what it wants goes before those that
// do not: some programs tell an error and then, on lines of their own, what it has.
func Refused(tail string) (line, hint string) {
	lines := strings.Split(tail, "\n")
	vague := ""
	for i := len(lines) - 1; i >= 0; i-- {
		hint, whole := remedy(lines[i])
		switch {
		case whole:
			return text.Shorten(text.Line(lines[i]), maxComplaint), hint
		case hint != "" && vague == "":
			vague = lines[i]
		}
	}
	if vague != "" {
		return text.Shorten(text.Line(vague), maxComplaint), "allow the folder that it wants to change with sandbox.allow, or do without with --sandbox none"
	}
	return "", "allow what it needs with sandbox.allow, a variable that was left out with sandbox.env, or a host with sandbox.hosts if sandbox.network is listed, or do without with --sandbox none"
}

// remedy is what to do about what a line complains of, and whether the line says all
// that has to be known; empty: it does not complain of a sandbox.
func remedy(line string) (hint string, whole bool) {
	low := strings.ToLower(line)
	if slices.ContainsFunc(unset, func(said string) bool { return strings.Contains(low, said) }) {
		for _, name := range variable().FindAllString(line, -1) {
			if os.Getenv(name) != "" { // outside it is set
				return fmt.Sprintf("let it pass with sandbox.env = [%q], or do without with --sandbox none", name), true
			}
		}
	}
	for _, c := range complaints {
		if strings.Contains(low, c.said) {
			if hint := allow(c.opening, line); hint != "" {
				return hint, true
			}
			if c.opening == "" {
				return c.said, false
			}
		}
	}
	return "", false
}

// allow says how to let through what a line complains of; empty: the line does not say
// what that is.
func allow(opening, line string) string {
	home, _ := os.UserHomeDir() // without one there is nothing to spare
	switch opening {
	case hosts:
		return "allow it with sandbox.hosts, or do without with sandbox.network = \"open\""
	case gitConfig:
		if !strings.Contains(strings.ToLower(line), "config") {
			return ""
		}
		return "nothing allows it: settings of the repository are kept from whoever is inside; pass them with git -c KEY=VALUE, or do without with --sandbox none"
	case calls:
		return "programs of another kind of processor, such as 32-bit ones, do not run in a sandbox: do without with --sandbox none"
	case hidden:
		path := wholePath(line, home)
		if !isThere(path) {
			return "" // neither is it outside
		}
		return "it is hidden unless you allow it (sandbox.hide has more of these): sandbox.allow = [" + strconv.Quote(cmp.Or(keysOf(path, home), path)) + "], or do without with --sandbox none"
	case "":
		path := wholePath(line, home)
		if path == "" {
			return ""
		}
		if opening = keysOf(path, home); opening != "" {
			break
		}
		if opening = pathIn(line, home); !isThere(opening) { // what is not there cannot be let in
			return fmt.Sprintf("make %s first, and allow it with sandbox.allow = [%q], or do without with --sandbox none", opening, opening)
		}
	case "docker", "dbus", "display":
		return fmt.Sprintf("allow it with sandbox.allow = [%q] (who reaches %s can reach everything), or do without with --sandbox none", opening, opening)
	}
	return fmt.Sprintf("allow it with sandbox.allow = [%q], or do without with --sandbox none", opening)
}

// keysOf is the name of what lets in a path among keys; empty: it is not there.
func keysOf(path, home string) string {
	for folder, name := range map[string]string{".ssh": "ssh", ".gnupg": "gpg"} {
		if _, in := files.Under(filepath.Join(home, folder), path); in && home != "" {
			return name
		}
	}
	return ""
}

// isThere tells whether a path leads somewhere, outside of the sandbox.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return path != "" && err == nil
}

// pathIn is what to allow for the first whole path that a line names: the folder in
// which something is to be made, but never one that the home folder is in: what is
// there acts later. Of the folders of tools in the home it is the file, if that is
// there: it may be hidden alone, and the folder holds more. Empty: it names none.
func pathIn(line, home string) string {
	path := wholePath(line, home)
	rel, inHome := files.Under(home, path)
	if info, err := os.Stat(path); path == "" || inHome && strings.HasPrefix(rel, ".") && err == nil && !info.IsDir() {
		return path
	}
	if dir := filepath.Dir(path); !holdsHome(dir, home) {
		return dir
	}
	return path
}

// wholePath is the first whole path that a line names, but for folders that the home is in.
func wholePath(line, home string) string {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t'\"`‘’“”«»:,;()[]<>=", r) }) {
		if !filepath.IsAbs(word) || strings.Count(word, "/") < 2 {
			continue
		}
		if path := filepath.Clean(word); !holdsHome(path, home) {
			return path
		}
	}
	return ""
}

// holdsHome tells whether a folder is the home folder, or above it.
func holdsHome(dir, home string) bool {
	_, above := files.Under(dir, home)
	return above && home != ""
}
