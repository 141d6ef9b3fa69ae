package fence

import (
	"path/filepath"
	"strings"
)

// profile says a policy in the words of macOS's Seatbelt. Of its rules the last that
// fits counts, so what forbids comes after what allows, and what is shown all the same
// after that. It was written from what others have found out, and never run.
func profile(p Policy) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	about(&b, "allow file-write*", append(append(append([]string{}, p.Write...), p.Private...), some(p.Temp)...))
	b.WriteString(`(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$"))` + "\n")
	about(&b, "deny file-write*", p.Keep)
	about(&b, "deny file-read* file-write*", p.Hide)
	about(&b, "allow file-read*", p.Show)
	// Rules for files do not cover who connects to a socket.
	b.WriteString("(deny network-outbound (remote unix-socket))\n")
	for _, path := range append(append(append([]string{}, p.Write...), p.Sockets...), some(p.Temp)...) {
		b.WriteString("(allow network-outbound (remote unix-socket (subpath " + quoted(path) + ")))\n")
	}
	b.WriteString(`(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))` + "\n") // names of hosts
	b.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n")
	b.WriteString("(deny process-info*)\n(allow process-info* (target same-sandbox))\n")
	return b.String()
}

// about writes one rule for some paths and all below them.
func about(b *strings.Builder, what string, paths []string) {
	if len(paths) == 0 {
		return
	}
	b.WriteString("(" + what)
	for _, path := range paths {
		b.WriteString(" (subpath " + quoted(path) + ")")
	}
	b.WriteString(")\n")
}

// quoted is a path as a profile has it: where it really leads, for /tmp is a link there.
func quoted(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

func some(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}
