package fence

import (
	"os"
	"path/filepath"
	"strings"
)

// boundOutside lists the paths of the sockets that somebody listens on, or gets
// messages by. With a network of our own ours is empty, so it asks for that of who
// started us. Sockets of other networks, such as a container's, are not known to
// either, and neither are those with a path that does not say where it begins.
func boundOutside() ([]string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, err
	}
	of := "self"
	for line := range strings.Lines(string(status)) {
		if parent, ok := strings.CutPrefix(line, "PPid:"); ok && strings.TrimSpace(parent) != "0" {
			of = strings.TrimSpace(parent)
		}
	}
	list, err := os.ReadFile(filepath.Join("/proc", of, "net/unix"))
	if err != nil {
		return nil, err
	}
	return boundIn(string(list)), nil
}

// boundIn reads the paths in a list of sockets. A path can hold line ends: what does not
// begin as an entry belongs to the one before.
func boundIn(list string) (paths []string) {
	open := false
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\n"), "\n") {
		fields := strings.SplitN(line, " ", 2)
		if !strings.HasSuffix(fields[0], ":") || len(fields) < 2 {
			if open {
				paths[len(paths)-1] += "\n" + line
			}
			continue
		}
		path, ok := pathOf(fields[1])
		if open = ok; ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// pathOf is the path in an entry, after its number: count, protocol, flags, type,
// state and inode come first. A connected socket has that of whom it was accepted by.
func pathOf(entry string) (string, bool) {
	for range 6 {
		_, rest, ok := strings.Cut(strings.TrimLeft(entry, " "), " ")
		if !ok {
			return "", false
		}
		entry = rest
	}
	return entry, strings.HasPrefix(entry, "/")
}
